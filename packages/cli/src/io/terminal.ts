import type { Readable, Writable } from 'node:stream'
import { once } from 'node:events'

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
  if (!terminal.quiet) terminal.err.write(`${plain(text)}\n`)
}

/**
 * Removes control characters from foreign text, except line ends and tabs: a service must not move
 * the cursor, set titles or clear the screen.
 */
export function plain(text: string): string {
  return (
    text
      .replaceAll('\r\n', '\n')
      // eslint-disable-next-line no-control-regex -- the search is for control characters
      .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\uFFFD')
  )
}

/** Formats rows in columns, each as wide as its widest cell. The last column is not padded. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => plain(row[at] ?? '').length)),
  )
  return rows
    .map((row) =>
      row
        .map((cell, at) =>
          at === row.length - 1 ? plain(cell) : plain(cell).padEnd(widths[at] ?? 0),
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
  const refused = (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb'
  return stream.isTTY === true && !refused
}
