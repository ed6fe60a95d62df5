/** What was read of a body: all of it, or, where that is more than was wanted or the connection broke, its beginning. */
export type ReadBody = {
  readonly text: string
  /** Bytes; more than `maxBytes` when there is more than was wanted. */
  readonly size: number
  /** What the platform threw. */
  readonly broken?: Error
}

/** A body as text, read no further than the first part that ends beyond `maxBytes`; the rest is cancelled. */
export async function readText({ body }: Response, maxBytes: number): Promise<ReadBody> {
  const reader = body?.getReader()
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for (;;) {
      const { value } = (await reader?.read()) ?? {}
      if (value === undefined) return { text: textOf(parts), size }
      parts.push(value)
      size += value.byteLength
      if (size <= maxBytes) continue
      await reader?.cancel()
      return { text: textOf(parts), size }
    }
  } catch (broken) {
    return { text: textOf(parts), size, broken: broken as Error }
  }
}

/** Most bodies come in one part, and that is decoded the faster for it. */
function textOf(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder()
  return parts.map((part, index) => decoder.decode(part, { stream: index < parts.length - 1 })).join('')
}
