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
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  let text = ''
  let size = 0
  try {
    for (;;) {
      const { value } = (await reader?.read()) ?? {}
      text += decoder.decode(value, { stream: value !== undefined })
      if (value === undefined) return { text, size }
      size += value.byteLength
      if (size <= maxBytes) continue
      await reader?.cancel()
      return { text, size }
    }
  } catch (broken) {
    return { text, size, broken: broken as Error }
  }
}
