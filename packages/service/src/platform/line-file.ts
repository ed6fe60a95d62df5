import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'

/** A text file that only grows. */
export type AppendFile = {
  readonly path: string
  /** The complete lines, without the partial line of an interrupted write. */
  readonly lines: () => AsyncIterable<string>
  /** Resolves when the lines are on the disk. */
  readonly append: (lines: readonly string[]) => Promise<void>
}

/** Opens a file, which is created if necessary. Rejects if it cannot be written. */
export async function openAppendFile(path: string): Promise<AppendFile> {
  await (await open(path, 'a', 0o600)).close()

  /** The size in bytes, and whether the last byte ends a line. */
  async function readEnd(): Promise<{ readonly size: number; readonly isWhole: boolean }> {
    const file = await open(path, 'r')
    try {
      const { size } = await file.stat()
      const last = Buffer.alloc(1)
      if (size > 0) await file.read(last, 0, 1, size - 1)
      return { size, isWhole: size === 0 || last.toString() === '\n' }
    } finally {
      await file.close()
    }
  }

  return {
    path,
    async *lines() {
      const { size, isWhole } = await readEnd()
      if (size === 0) return
      let held: string | undefined
      for await (const line of readLines(createReadStream(path, { end: size - 1 }))) {
        if (held !== undefined) yield held
        held = line
      }
      if (held !== undefined && isWhole) yield held
    },
    append: async (lines) => {
      if (lines.length === 0) return
      // ends the partial line
      const before = (await readEnd()).isWhole ? '' : '\n'
      const file = await open(path, 'a', 0o600)
      try {
        await file.appendFile(`${before}${lines.join('\n')}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
    },
  }
}

/** The lines of UTF-8 text, without their ends. The last one may lack its end. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let rest = ''
  for await (const chunk of chunks) {
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = pieces.pop() ?? ''
    yield* pieces
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}
