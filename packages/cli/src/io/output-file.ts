import { createWriteStream } from 'node:fs'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { dirname, join, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Context, UsageError } from '../command.js'
import { createProgress, createRate, formatSize, note, print } from './terminal.js'

/** The destination of the bytes of a command. */
export type Delivery = {
  /** Writes the body of a response, and resolves to its size in bytes. */
  readonly take: (response: Response) => Promise<number>
  /** The file; undefined for stdout. */
  readonly path: string | undefined
  readonly abandon: () => Promise<void>
}

/** The file of `-o`; undefined for stdout. */
export function readOutputPath({ arguments: args }: Context): string | undefined {
  const path = args.text('output')
  return path === '-' ? undefined : path
}

/**
 * The file of `-o`, or stdout with `-o -` or if stdout is not a terminal. Rejects bytes for a
 * terminal, and bytes together with JSON on stdout. The file is opened at once, before anything is paid
 * for.
 */
export async function openDelivery(context: Context, example: string): Promise<Delivery> {
  const { terminal, arguments: args } = context
  const path = readOutputPath(context)
  const progress = createProgress(terminal)
  if (path !== undefined) {
    const file = await openOutput(path)
    const take = async (response: Response) => {
      const rate = createRate(formatSize)
      const total = Number(response.headers.get('content-length') ?? Number.NaN)
      const report = (bytes: number) =>
        progress.report('receiving', rate(bytes, total > 0 ? total : undefined))
      const writtenBytes = await file.write(readParts(response), report)
      progress.done()
      note(terminal, `${path}: ${formatSize(writtenBytes)}`)
      return writtenBytes
    }
    return { path, take, abandon: file.abandon }
  }
  if (args.has('json'))
    throw new UsageError(`--json needs a file for the bytes, such as -o ${example}.`)
  if (terminal.out.isTTY === true) {
    throw new UsageError(
      `The output is binary and would go to the terminal. Use a file, such as -o ${example}, or a pipe.`,
    )
  }
  const take = async (response: Response) => {
    let writtenBytes = 0
    for await (const part of readParts(response)) {
      writtenBytes += part.byteLength
      await print(terminal, part)
    }
    return writtenBytes
  }
  return { path: undefined, take, abandon: async () => undefined }
}

/**
 * A file that appears under its name only when it is complete.
 */
export type OutputFile = {
  readonly path: string
  /** Writes the whole file, and resolves to its size in bytes. A string is written as UTF-8. */
  readonly write: (
    body: string | AsyncIterable<Uint8Array>,
    onBytes?: (writtenBytes: number) => void,
  ) => Promise<number>
  /** Deletes the incomplete file. Does nothing after `write` has ended. */
  readonly abandon: () => Promise<void>
}

/**
 * Opens the file before the work is paid for, so that a folder that cannot be written costs
 * nothing. `mode`, as in chmod, is that of a new file. Throws `UsageError`.
 */
export async function openOutput(path: string, mode = 0o666): Promise<OutputFile> {
  if (path === '')
    throw new UsageError('The name of the file to write is empty; expected one such as out.')
  const target = await realpath(path).catch(() => path)
  const stats = await stat(target).catch(() => undefined)
  // one that does not exist, too
  const isFolder = path.endsWith('/') || path.endsWith(sep) || stats?.isDirectory() === true
  if (isFolder)
    throw new UsageError(
      `${path} is a folder; expected the name of a file to write, such as ${join(path, 'out')}.`,
    )
  // a device or a pipe is written directly
  const isPlain = stats === undefined || stats.isFile()
  // without the name, which may be as long as names can be, and without the id of the process, which
  // is the same in each container
  const partial = isPlain ? join(dirname(target), `.${randomUUID()}.part`) : target
  const file = await open(partial, isPlain ? 'wx' : 'w', mode).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT')
        throw new UsageError(`${path} cannot be written: there is no folder ${dirname(target)}.`)
      throw new UsageError(
        `${path} cannot be written (${error.code ?? error.message}). Check its folder and permissions, or use another name.`,
      )
    },
  )
  // a file that only its owner can read stays so
  if (isPlain && stats) await file.chmod(stats.mode & mode)
  let isOver = false
  return {
    path,
    write: async (body, onBytes) => {
      let writtenBytes = 0
      const parts = typeof body === 'string' ? [Buffer.from(body)] : body
      const countBytes = async function* () {
        for await (const part of parts) {
          writtenBytes += part.byteLength
          onBytes?.(writtenBytes)
          yield part
        }
      }
      // closing the stream closes the handle
      await pipeline(Readable.from(countBytes()), createWriteStream('', { fd: file })).catch(
        (error: unknown) => {
          throw nameFile(error, path)
        },
      )
      if (isPlain) await rename(partial, target)
      isOver = true
      return writtenBytes
    },
    abandon: async () => {
      if (isOver) return
      isOver = true
      await file.close().catch(() => undefined)
      if (isPlain) await rm(partial, { force: true })
    },
  }
}

/** An error of the file system with the file in its message. Other errors stay as they are. */
function nameFile(error: unknown, path: string): unknown {
  const isWrite = error instanceof Error && 'syscall' in error && error.syscall === 'write'
  if (!isWrite) return error
  const message = `${path} could not be written whole (${error.message}). Free some space, or use another file.`
  return Object.assign(new Error(message, { cause: error }), {
    code: 'code' in error ? error.code : undefined,
    syscall: error.syscall,
  })
}

/** The body of a response in chunks. */
export async function* readParts(response: Response): AsyncGenerator<Uint8Array, void, undefined> {
  if (response.body === null) return
  const reader = response.body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
