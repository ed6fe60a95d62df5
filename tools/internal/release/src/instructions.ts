import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One instruction of a page: a command to run, or a file to save. */
export type Step = {
  /** The page and the line. */
  readonly at: string
  readonly text: string
  /** Where to save the text. */
  readonly file?: string
  /** The shell in which to run it. Default: one of its own. */
  readonly shellName?: string
  /** The text that its output must contain. */
  readonly expected?: string
}

/**
 * Reads the instructions of a page: blocks marked as sh, and samples. A block of text right after a
 * block of sh is what that must print.
 */
export function readSteps(clone: string, page: string): readonly Step[] {
  const content = readFileSync(join(clone, page), 'utf8')
  const steps: Step[] = []
  for (const match of content.matchAll(
    /^ *```(?<kind>\w*)\n(?<block>.*?)^ *```$|<Sample file="(?<sample>[^"]*)" title="(?<title>[^"]*)" \/>/gms,
  )) {
    const { kind, block = '', sample, title = '' } = match.groups ?? {}
    const at = `${page}:${content.slice(0, match.index).split('\n').length}`
    const last = steps.at(-1)
    if (sample !== undefined) {
      const text = readFileSync(join(clone, 'packages/docs/samples', sample), 'utf8')
      steps.push(
        sample.endsWith('.sh')
          ? { at, text, shellName: title.replaceAll(' ', '-') }
          : { at, text, file: title },
      )
    } else if (kind === 'sh') steps.push({ at, text: block })
    else if (last !== undefined && last.expected === undefined)
      steps.splice(-1, 1, { ...last, expected: kind === 'text' ? block : '' })
  }
  return steps
}

/**
 * Throws unless the output has the expected lines in order. Spaces, times, dates, addresses, ids
 * and
 * numbers may differ, but not amounts with two decimals, such as 4.98.
 */
export function compareOutput(output: string, { at, expected = '' }: Step): void {
  let from = 0
  for (const line of expected.split('\n').filter((one) => one.trim() !== '')) {
    const match = createLoosePattern(line.trim()).exec(output.slice(from))
    if (match === null)
      throw new Error(
        `${at} promises the line ${JSON.stringify(line)}. The output from there on:\n${output.slice(from)}`,
      )
    from += match.index + match[0].length
  }
}

function createLoosePattern(line: string): RegExp {
  const differs =
    /(0x[\da-f]+|\d{4}-\d\d-\d\dT[\d:.]+Z|\b(?:\d+m)?\d[\d.]*(?: ?s|ms)\b|\b\d[\d.]*)/i
  return new RegExp(
    line
      .split(differs)
      .map((piece, index) =>
        index % 2 === 1 ? loosenFact(piece) : escapePattern(piece).replaceAll(/\s+/g, '\\s+'),
      )
      .join(''),
  )
}

function loosenFact(text: string): string {
  if (/^0x/i.test(text)) return '0x[\\da-fA-F]+'
  if (text.endsWith('Z')) return '[-\\d:.T]+Z'
  if (text.endsWith('s')) return '(?:\\d+m)?\\d[\\d.]* ?m?s'
  return /^\d+\.\d\d$/.test(text) ? escapePattern(text) : '\\d+(?:\\.\\d+)*'
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/**
 * The commands that a section of a page names within its sentences, in their order. Throws if
 * the page does not have the section.
 */
export function readCommands(page: string, title: string): readonly string[] {
  const [, section] = new RegExp(`^## ${title}$(.*?)(?=^## |$(?![\\s\\S]))`, 'ms').exec(page) ?? []
  if (section === undefined) throw new Error(`There is no section "${title}".`)
  return [...section.matchAll(/`(npx [^`]+)`/g)].map(([, command = '']) =>
    command.replaceAll(/\s+/g, ' '),
  )
}
