import type { Context } from './command.js'
import { UsageError } from './errors.js'
import { openOutput, readParts } from './output-file.js'
import { createProgress, createRate, formatSize } from './progress.js'
import { note, print } from './terminal.js'

/** The destination of the bytes of a command. */
export type Delivery = {
  /** Writes the body of a response, and resolves to its size in bytes. */
  readonly take: (response: Response) => Promise<number>
  /** The file; undefined for stdout. */
  readonly path: string | undefined
  readonly abandon: () => Promise<void>
}

/**
 * The file of `-o`, or stdout with `-o -` or if stdout is not a terminal. Refuses to write bytes to
 * a terminal, or together with JSON to stdout. The file is opened at once, before anything is paid
 * for.
 */
export async function openDelivery(context: Context, example: string): Promise<Delivery> {
  const { terminal, arguments: given } = context
  const path = given.text('output') ?? '-'
  const progress = createProgress(terminal)
  if (path !== '-') {
    const file = await openOutput(path)
    const take = async (response: Response) => {
      const rate = createRate(formatSize)
      const total = Number(response.headers.get('content-length') ?? Number.NaN)
      const report = (bytes: number) =>
        progress.report('receiving', rate(bytes, total > 0 ? total : undefined))
      const written = await file.write(readParts(response), report)
      progress.done()
      note(terminal, `${path}: ${formatSize(written)}`)
      return written
    }
    return { path, take, abandon: file.abandon }
  }
  if (given.has('json'))
    throw new UsageError(`--json needs a file for the bytes: give one, such as -o ${example}.`)
  if (terminal.out.isTTY === true) {
    throw new UsageError(
      `There is nowhere to put the bytes but this screen. Give a file, such as -o ${example}, or a pipe.`,
    )
  }
  const take = async (response: Response) => {
    let written = 0
    for await (const part of readParts(response)) {
      written += part.byteLength
      await print(terminal, part)
    }
    return written
  }
  return { path: undefined, take, abandon: async () => undefined }
}
