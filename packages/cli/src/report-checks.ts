import type { Result } from '@farebox/conformance'
import type { Context } from './command.js'
import { printJson } from './json-output.js'
import { createProgress } from './progress.js'
import { paint, plain, printLine } from './terminal.js'

export type ChecksReport = {
  /** What is checked, as fields of the JSON and as the end of the summary. */
  readonly subject: Readonly<Record<string, string>>
  /** The titles of the checks, in their order, for the progress. */
  readonly titles?: readonly string[]
  readonly improve?: (result: Result) => Result
}

/** Prints the result of each check, and a summary. Resolves to the exit code. */
export async function reportChecks(
  { arguments: given, terminal }: Context,
  found: AsyncIterable<Result>,
  { subject, titles = [], improve = (result) => result }: ChecksReport,
): Promise<number> {
  const progress = createProgress(terminal)
  const results: Result[] = []
  const name = Object.values(subject).join(' ')
  try {
    progress.report('verifying', titles[0] === undefined ? name : `${name}: ${titles[0]}`)
    for await (const unimproved of found) {
      const result = improve(unimproved)
      progress.done()
      results.push(result)
      if (!given.has('json')) await printLine(terminal, formatResult(result, terminal))
      progress.report('verifying', titles[results.length])
    }
  } finally {
    progress.done()
  }
  const count = (status: Result['status']) =>
    results.filter((result) => result.status === status).length
  const summary = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
  if (given.has('json')) await printJson(terminal, { ...subject, ...summary, checks: results })
  else
    await printLine(
      terminal,
      `\n${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped: ${plain(name)}`,
    )
  return summary.failed === 0 ? 0 : 1
}

function formatResult(
  { status, id, title, expected, found, reason, rule }: Result,
  terminal: Context['terminal'],
): string {
  const marks = {
    passed: paint(terminal, 'green', 'ok     '),
    failed: paint(terminal, 'red', 'FAILED '),
    skipped: paint(terminal, 'dim', 'skipped'),
  }
  const more =
    status === 'failed'
      ? `\n          expected ${expected}\n          found    ${found}\n          see      ${rule}`
      : reason === undefined
        ? ''
        : `: ${reason}`
  // a mark may have a colour; the text of a service may have control characters
  return `${marks[status]}  ${plain(`${id}  ${title}${more}`)}`
}
