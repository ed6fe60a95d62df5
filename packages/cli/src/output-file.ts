import { createWriteStream } from 'node:fs'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { UsageError } from './errors.js'

/**
 * A file that appears under its name only when it is complete.
 */
export type OutputFile = {
  readonly path: string
  /** Writes the whole file, and resolves to its size in bytes. */
  readonly write: (
    body: AsyncIterable<Uint8Array>,
    onBytes?: (written: number) => void,
  ) => Promise<number>
  /** Deletes the incomplete file. Does nothing after `write` has ended. */
  readonly abandon: () => Promise<void>
}

/**
 * Opens the file before the work is paid for, so that a folder that cannot be written costs
 * nothing. `mode` as in chmod. Throws `UsageError`.
 */
export async function openOutput(path: string, mode = 0o666): Promise<OutputFile> {
  const target = await realpath(path).catch(() => path)
  const found = await stat(target).catch(() => undefined)
  if (found?.isDirectory() === true)
    throw new UsageError(
      `${path} is a folder; expected the name of a file to write, such as ${join(path, 'out')}.`,
    )
  // a device or a pipe is written directly
  const isPlain = found === undefined || found.isFile()
  const partial = isPlain
    ? join(dirname(target), `.${basename(target)}.${process.pid}.part`)
    : target
  const file = await open(partial, isPlain ? 'wx' : 'w', mode).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT')
        throw new UsageError(`${path} cannot be written: there is no folder ${dirname(target)}.`)
      throw new UsageError(
        `${path} cannot be written (${error.code ?? error.message}). Check its folder and permissions, or give another name.`,
      )
    },
  )
  let isOver = false
  return {
    path,
    write: async (body, onBytes) => {
      let written = 0
      const counted = async function* () {
        for await (const part of body) {
          written += part.byteLength
          onBytes?.(written)
          yield part
        }
      }
      // closing the stream closes the handle
      await pipeline(Readable.from(counted()), createWriteStream('', { fd: file }))
      if (isPlain) await rename(partial, target)
      isOver = true
      return written
    },
    abandon: async () => {
      if (isOver) return
      isOver = true
      await file.close().catch(() => undefined)
      if (isPlain) await rm(partial, { force: true })
    },
  }
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
