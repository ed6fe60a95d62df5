/** A body, or its beginning if it is too large or the connection broke. */
export type ReadBody = {
  readonly parts: Uint8Array<ArrayBuffer>[]
  readonly text: string
  /** In bytes; more than `maxBytes` if the body is too large. */
  readonly size: number
  /** The platform's error of a broken connection. */
  readonly broken: Error | undefined
}

/**
 * Reads a body as text, up to `maxBytes`. The rest is cancelled.
 */
export async function readText({ body }: Response, maxBytes: number): Promise<ReadBody> {
  const reader = body?.getReader()
  const parts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  let broken: Error | undefined
  try {
    while (size <= maxBytes) {
      const part = (await reader?.read())?.value
      if (!part) break
      parts.push(part.slice(0, maxBytes - size))
      size += part.byteLength
    }
    if (size > maxBytes) await reader?.cancel()
  } catch (error) {
    broken = error as Error
  }
  const decoder = new TextDecoder()
  // most bodies have one chunk, which is decoded faster this way
  const text = parts
    .map((part, index) => decoder.decode(part, { stream: index < parts.length - 1 }))
    .join('')
  return { parts, text, size, broken }
}
