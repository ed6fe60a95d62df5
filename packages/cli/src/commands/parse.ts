import type { FileInput } from '@farebox/client'
import { operations } from '@farebox/types/operations'
import type { Farebox } from 'farebox'
import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { confirmPrice } from '../calls/confirm.js'
import { listAllowedCallers, findUsedCaller, connect } from '../calls/connect.js'
import { forEachAtOnce } from '../calls/for-each-at-once.js'
import { rememberRepeatKey, createPaidCall } from '../calls/paid-call.js'
import { type Context, type CommandHandler, UsageError } from '../command.js'
import { explain, type Explanation } from '../calls/explain.js'
import {
  printJson,
  createCountRate,
  createProgress,
  note,
  paint,
  stripControls,
  print,
  printLine,
} from '../io/terminal.js'
import { openOutput, readOutputPath, type OutputFile } from '../io/output-file.js'
import { openInput, readStdin, requireFile } from '../io/read-input.js'

export const parse: CommandHandler = async (context) => {
  const { arguments: args, terminal } = context
  if (args.operands.length > 1 || args.text('out-dir') !== undefined) return parseMany(context)
  const { file, name } = await readFile(context)
  const { farebox } = await connect(context, listAllowedCallers('parseText'))
  await confirmPrice(context, { what: `Parsing ${name}`, usd: operations.parseText.priceUsd })
  const path = readOutputPath(context)
  const output = path === undefined ? undefined : await openOutput(path)
  const progress = createProgress(terminal)
  const { idempotencyKey, options } = createPaidCall(context)
  try {
    progress.report(`parsing ${name}`)
    const parsed = await rememberRepeatKey(idempotencyKey, () =>
      farebox.parseText({ file }, options),
    )
    progress.done()
    const { text, tokens, warnings } =
      typeof parsed === 'string' ? { text: parsed, tokens: undefined, warnings: undefined } : parsed
    await output?.write(text)
    if (args.has('json'))
      await printJson(terminal, {
        ...(output === undefined ? { text } : { file: path }),
        tokens,
        ...(warnings && { warnings }),
      })
    else if (output === undefined)
      await print(terminal, formatForTerminal(text, terminal.out.isTTY === true))
    if (tokens !== undefined) note(terminal, `${tokens} tokens`)
    for (const { code, count } of warnings ?? [])
      note(terminal, `not in the text: ${stripControls(code)} (${count})`)
    return 0
  } finally {
    progress.done()
    await output?.abandon()
  }
}

const limit = operations.parseText.maxFileBytes.file

async function readFile({
  arguments: args,
  terminal,
}: Context): Promise<{ readonly file: FileInput; readonly name: string }> {
  const [path = ''] = args.operands
  if (path !== '-') return { file: await openInput(path, limit), name: basename(path) }
  return { file: await readStdin(terminal, limit), name: 'stdin' }
}

/** A terminal gets a final line end and no control characters. A pipe gets the text unchanged. */
function formatForTerminal(text: string, isScreen: boolean): string {
  if (!isScreen) return text
  return text.endsWith('\n') ? stripControls(text) : `${stripControls(text)}\n`
}

type Job = { readonly file: string; readonly output: string | undefined }

/** The outcome for one file: a line of the result. */
type Outcome =
  | {
      readonly file: string
      readonly output?: string
      readonly text?: string
      readonly tokens: number | undefined
      readonly warnings?: readonly { readonly code: string; readonly count: number }[]
    }
  | {
      readonly file: string
      readonly error: Omit<Explanation, 'exitCode' | 'facts'> & Explanation['facts']
    }

/**
 * Parses files into a folder of texts, a few at a time. A file that fails gets its own line and exit
 * code 1, and does not lose the others, which were paid for.
 */
async function parseMany(context: Context): Promise<number> {
  const { arguments: args, terminal, signal } = context
  const jobs = await listJobs(context)
  const concurrency = args.integer('concurrency', 1, 32) ?? 4
  const { farebox } = await connect(context, listAllowedCallers('parseText'))
  await confirmPrice(context, {
    what: `Parsing ${jobs.length} files`,
    usd: roundUsd(jobs.length * operations.parseText.priceUsd),
  })
  const progress = createProgress(terminal)
  const rate = createCountRate('files')
  let [done, failed] = [0, 0]
  await forEachAtOnce(jobs, concurrency, signal, async (job) => {
    const outcome = await parseOne(context, farebox, job)
    progress.done()
    done++
    if ('error' in outcome) failed++
    await write(context, outcome)
    progress.report('parsing', rate(done, jobs.length))
  })
  progress.done()
  signal.throwIfAborted()
  note(terminal, `${done - failed} parsed, ${failed} failed: ${rate(done)}`)
  return failed === 0 ? 0 : 1
}

/** All files and folders are checked before the first file is paid for. */
async function listJobs({ arguments: args }: Context): Promise<readonly Job[]> {
  const folder = args.text('out-dir')
  if (args.text('output') !== undefined)
    throw new UsageError('-o takes the text of one file. Use --out-dir for several.')
  if (args.text('idempotency-key') !== undefined)
    throw new UsageError('--idempotency-key is for one call, and each file is a call.')
  if (folder === undefined && !args.has('json'))
    throw new UsageError('Several files need --out-dir FOLDER, or --jsonl for one line each.')
  const jobs = args.operands.map((file) => ({
    file,
    output: folder === undefined ? undefined : join(folder, `${basename(file)}.txt`),
  }))
  for (const { file } of jobs) {
    if (file === '-')
      throw new UsageError('- means stdin, which is one file. Pass no other file with it.')
    await requireFile(file)
  }
  const outputs = jobs.map(({ output }) => output).filter((output) => output !== undefined)
  const twice = outputs.find((output, at) => outputs.indexOf(output) !== at)
  if (twice !== undefined)
    throw new UsageError(
      `Two of the files would be written to ${twice}. Parse them into different folders.`,
    )
  if (folder !== undefined) await makeFolder(folder)
  return jobs
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `--out-dir: ${folder} cannot be created (${error.code ?? error.message}). Check its path and permissions.`,
    )
  })
}

async function parseOne(
  context: Context,
  farebox: Farebox,
  { file, output }: Job,
): Promise<Outcome> {
  const { idempotencyKey, options } = createPaidCall(context)
  let target: OutputFile | undefined
  try {
    if (output !== undefined) target = await openOutput(output)
    const input = await openInput(file, limit)
    const parsed = await rememberRepeatKey(idempotencyKey, () =>
      farebox.parseText({ file: input, response_format: 'json' }, options),
    )
    await target?.write(parsed.text)
    return {
      file,
      ...(output === undefined ? { text: parsed.text } : { output }),
      tokens: parsed.tokens,
      ...(parsed.warnings && { warnings: parsed.warnings }),
    }
  } catch (error) {
    if (context.signal.aborted) throw error
    const {
      exitCode: _code,
      facts,
      ...explanation
    } = explain(error, {
      isAborted: false,
      typed: context,
      caller: findUsedCaller(context.arguments),
    })
    return { file, error: { ...explanation, ...facts } }
  } finally {
    await target?.abandon()
  }
}

async function write({ arguments: args, terminal }: Context, outcome: Outcome): Promise<void> {
  // one line each even with --json: results that arrive one by one are not an array
  if (args.has('json'))
    return printJson({ ...terminal, json: { ...terminal.json, lines: true } }, outcome)
  if ('error' in outcome) {
    terminal.err.write(
      `${paint(terminal, 'red', '✗')} ${stripControls(`${outcome.file}: ${outcome.error.message}`)}\n`,
    )
    return undefined
  }
  await printLine(
    terminal,
    `${paint(terminal, 'green', '✓')} ${stripControls(`${outcome.file} → ${outcome.output}, ${outcome.tokens} tokens`)}`,
  )
  return undefined
}

function roundUsd(usd: number): number {
  return Math.round(usd * 1e6) / 1e6
}
