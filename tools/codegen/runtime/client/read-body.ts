/** What was read of a body: all of it, or, where that is more than was wanted or the connection broke, its beginning. */
export type ReadBody = {
  readonly text: string
  /** Bytes; more than `maxBytes` when there is more than was wanted. */
  readonly size: number
  /** What the platform threw. */
  readonly broken: Error | undefined
}

/** A body as text, read no further than the first part that ends beyond `maxBytes`; the rest is cancelled. */
export async function readText({ body }: Response, maxBytes: number): Promise<ReadBody> {
  const reader = body?.getReader()
  const parts: Uint8Array[] = []
  let size = 0
  let broken: Error | undefined
  try {
    while (size <= maxBytes) {
      const part = (await reader?.read())?.value
      if (part === undefined) break
      parts.push(part)
      size += part.byteLength
    }
    if (size > maxBytes) await reader?.cancel()
  } catch (error) {
    broken = error as Error
  }
  const decoder = new TextDecoder()
  // most bodies come in one part, and that is decoded the faster for it
  const text = parts.map((part, index) => decoder.decode(part, { stream: index < parts.length - 1 })).join('')
  return { text, size, broken }
}
