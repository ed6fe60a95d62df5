type FileSystem = {
  readonly writeFile: (path: string, data: AsyncIterable<Uint8Array>) => Promise<void>
  readonly rename: (from: string, to: string) => Promise<void>
  readonly rm: (path: string, options: { readonly force: boolean }) => Promise<void>
}

/** Writes the body of a response to a file, which is there in whole or not at all. */
export async function save(response: Response, path: string): Promise<void> {
  const { process } = globalThis as { readonly process?: { readonly getBuiltinModule?: (name: string) => unknown } }
  const fs = process?.getBuiltinModule?.('node:fs/promises') as FileSystem | undefined
  if (fs === undefined) throw new Error('there is no file system here. Read the body with blob() instead.')
  const unfinished = `${path}.${crypto.randomUUID()}.part`
  try {
    await fs.writeFile(unfinished, chunksOf(response))
    await fs.rename(unfinished, path)
  } catch (error) {
    await fs.rm(unfinished, { force: true })
    throw error
  }
}

async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body) yield* body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>
}
