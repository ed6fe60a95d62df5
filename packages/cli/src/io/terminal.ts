import type { Readable, Writable } from 'node:stream'
import { once } from 'node:events'
import { UsageError } from '@farebox/command-line'

type Stream = { readonly isTTY?: boolean; readonly columns?: number }

/** How results are written as JSON. */
export type JsonForm = {
  /** One line for each result, for programs that read line by line. Else indented, for people. */
  readonly lines: boolean
  /** The members on the way to the part that is printed. Empty: the whole. */
  readonly path: readonly string[]
}

/** Results go to `out` and everything else to `err`, so that a pipe gets only results. */
export type Terminal = {
  readonly in: Readable & Stream
  readonly out: Writable & Stream
  readonly err: Writable & Stream
  /** Whether `out` gets colours: see `wantsColor`. */
  readonly color: boolean
  /** Suppresses the progress. */
  readonly quiet: boolean
  readonly json: JsonForm
}

/** Writes a result, and waits while its reader is slow. */
export async function print(terminal: Terminal, text: string | Uint8Array): Promise<void> {
  if (!terminal.out.write(text)) await once(terminal.out, 'drain')
}

/** Writes a line of a result. */
export function printLine(terminal: Terminal, text: string): Promise<void> {
  return print(terminal, `${text}\n`)
}

/** Writes a line that is not a result. */
export function note(terminal: Terminal, text: string): void {
  if (!terminal.quiet) terminal.err.write(`${stripControls(text)}\n`)
}

/**
 * Removes control characters from foreign text, except line ends and tabs: a service must not move
 * the cursor, set titles or clear the screen.
 */
export function stripControls(text: string): string {
  return (
    text
      .replaceAll('\r\n', '\n')
      // eslint-disable-next-line no-control-regex -- the search is for control characters
      .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\uFFFD')
  )
}

/** Formats rows in columns, each as wide as its widest cell. The last column is not padded. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => stripControls(row[at] ?? '').length)),
  )
  return rows
    .map((row) =>
      row
        .map((cell, at) =>
          at === row.length - 1 ? stripControls(cell) : stripControls(cell).padEnd(widths[at] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const colors = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const

export function paint(
  terminal: Pick<Terminal, 'color'>,
  color: keyof typeof colors,
  text: string,
): string {
  return terminal.color ? `\u001b[${colors[color]}m${text}\u001b[0m` : text
}

/**
 * Whether a stream gets colours: a terminal does, unless NO_COLOR is set (https://no-color.org).
 * FORCE_COLOR decides before both, as it does in Node: any value but 0 and false asks for colours.
 */
export function wantsColor(
  stream: Stream,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  const forced = environment['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  const rejected = (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb'
  return stream.isTTY === true && !rejected
}

/** Writes one result. With --jsonl or --select, a list is written item by item. */
export async function printJson(terminal: Terminal, value: unknown): Promise<void> {
  const { lines, path } = terminal.json
  if (path.length > 0) {
    for (const part of selectParts(value, path, path)) await print(terminal, `${toRawText(part)}\n`)
  } else if (lines) {
    for (const item of Array.isArray(value) ? value : [value])
      await print(terminal, `${JSON.stringify(item)}\n`)
  } else await print(terminal, `${JSON.stringify(value, null, 2)}\n`)
}

/** Writes a list of results while it arrives: an array, or a line for each item. */
export async function printJsonItems(
  terminal: Terminal,
  items: Iterable<unknown> | AsyncIterable<unknown>,
): Promise<void> {
  const { lines, path } = terminal.json
  if (lines || path.length > 0) {
    for await (const item of items) await printJson(terminal, item)
    return
  }
  let count = 0
  for await (const item of items)
    await print(terminal, `${count++ === 0 ? '[\n' : ',\n'}  ${JSON.stringify(item)}`)
  await print(terminal, count === 0 ? '[]\n' : '\n]\n')
}

/** Follows the path. A list on the way selects all of its items, unless an index picks one. */
function selectParts(
  value: unknown,
  path: readonly string[],
  whole: readonly string[],
): readonly unknown[] {
  const [name, ...rest] = path
  if (Array.isArray(value)) {
    if (name !== undefined && /^\d+$/.test(name))
      return selectParts(value[Number(name)], rest, whole)
    return value.flatMap((item) => selectParts(item, path, whole))
  }
  if (name === undefined) return [value]
  if (typeof value !== 'object' || value === null) return [null]
  if (Object.hasOwn(value, name))
    return selectParts((value as Readonly<Record<string, unknown>>)[name], rest, whole)
  const names = Object.keys(value)
  // an optional member may be absent from one item of a list
  if (path !== whole) return [null]
  throw new UsageError(
    `--select: found ${JSON.stringify(whole.join('.'))}, expected to begin with one of ${names.join(', ')}.`,
  )
}

/** A string as it is, for a shell; anything else as JSON. */
function toRawText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}

/** One line about long work, on stderr. */
export type Progress = {
  /**
   * Shows the progress. A terminal overwrites the line. A log gets a new line for each stage.
   */
  readonly report: (stage: string, detail?: string) => void
  /** Removes the line from the terminal. */
  readonly done: () => void
}

export function createProgress({ err, quiet }: Pick<Terminal, 'err' | 'quiet'>): Progress {
  let last: string | undefined
  if (quiet) return { report: () => undefined, done: () => undefined }
  if (err.isTTY !== true) {
    return {
      report: (stage) => {
        if (stage !== last) err.write(`${stripControls(stage)}\n`)
        last = stage
      },
      done: () => undefined,
    }
  }
  return {
    report: (stage, detail) => {
      last = `${stage}${detail === undefined ? '' : ` ${detail}`}`
      err.write(`\r\u001b[2K${stripControls(last).slice(0, (err.columns || 80) - 1)}`)
    },
    done: () => {
      if (last !== undefined) err.write('\r\u001b[2K')
      last = undefined
    },
  }
}

/** A size for people: `12.3 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} bytes`
  return bytes < 1_000_000
    ? `${(bytes / 1000).toFixed(1)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/**
 * Words for an amount and how fast it grows: `2.5 MB of 10.0 MB, 1.2 MB/s`. The rate is that of the
 * whole time, and is left out in the first half second, which says little.
 */
export function createRate(
  word: (amount: number) => string,
  now: () => number = () => performance.now(),
  unit = '',
) {
  const start = now()
  return (amount: number, total?: number): string => {
    const seconds = (now() - start) / 1000
    const of = total === undefined ? '' : ` of ${word(total)}`
    return `${word(amount)}${of}${unit}${seconds < 0.5 ? '' : `, ${word(amount / seconds)}${unit}/s`}`
  }
}

/** `3 of 40 files, 2.5 files/s`. */
export function createCountRate(unit: string): (amount: number, total?: number) => string {
  return createRate((amount) => String(Number(amount.toFixed(1))), undefined, ` ${unit}`)
}
