import type { OperationFacts } from './call.js'
import {
  UnexpectedResponseError,
  type UnexpectedResponseReason,
} from './unexpected-response-error.js'

/**
 * The items of a response in their order, each as soon as it is whole. They can be read once. The
 * next chunk is asked for only when an item is asked for that has not arrived. Throws
 * `UnexpectedResponseError` for a broken item, an item that is too large, and a response that
 * breaks off. An abort is passed on unchanged.
 */
export type ItemStream<Item> = {
  readonly next: () => Promise<IteratorResult<Item, undefined>>
  /** Cancels the rest of the response, also during a `next`. Leaving a `for await` loop does it. */
  readonly return: () => Promise<IteratorResult<Item, undefined>>
  readonly [Symbol.asyncIterator]: () => ItemStream<Item>
}

/** Makes items of bytes. */
export type Parser<Item> = {
  /** The items that a chunk completes. Returns true if none can follow. */
  readonly push: (chunk: Uint8Array) => Generator<Item, boolean>
  /** The items that are left when the response ends. */
  readonly end: () => Iterable<Item>
}

/** Makes the error of an item. */
export type Fault = (
  reason: UnexpectedResponseReason,
  detail: string,
  cause?: Error,
) => UnexpectedResponseError

/** Reads a response as items. */
export function createItemStream<Item>(
  operation: OperationFacts,
  response: Response,
  signal: AbortSignal | undefined,
  createParser: (fault: Fault) => Parser<Item>,
): ItemStream<Item> {
  const reader = response.body?.getReader()
  const fault: Fault = (reason, detail, cause) =>
    new UnexpectedResponseError(operation, reason, response, detail, '', cause)
  const parser = createParser(fault)
  let isStopped = false
  const stop = async (): Promise<void> => {
    isStopped = true
    // a broken body cannot be cancelled, and needs no cancelling
    await reader?.cancel().catch(() => undefined)
  }
  const read = async (): Promise<Uint8Array | undefined> => {
    try {
      return (await reader?.read())?.value
    } catch (error) {
      const broken = error as Error
      // a broken connection is a TypeError, in workerd an Error; an abort has another name
      throw signal?.aborted || !/^(Type)?Error$/.test(broken.name)
        ? broken
        : fault('incomplete_body', 'broke off', broken)
    }
  }
  async function* parseChunks(): AsyncGenerator<Item, undefined> {
    try {
      for (let chunk = await read(); chunk !== undefined; chunk = await read())
        if (yield* parser.push(chunk)) return
      if (!isStopped) yield* parser.end()
    } finally {
      await stop()
    }
  }
  const items = parseChunks()
  const stream: ItemStream<Item> = {
    next: async () => {
      if (!signal?.aborted) return items.next()
      await stop()
      throw signal.reason
    },
    return: async () => {
      await stop()
      return items.return(undefined)
    },
    [Symbol.asyncIterator]: () => stream,
  }
  return stream
}

/** Cuts bytes at separators. A piece that has none yet is kept. */
export type Cutter = {
  readonly cut: (chunk: Uint8Array) => Generator<readonly [piece: Uint8Array, separator: number]>
  readonly rest: () => Uint8Array
}

/** A line feed right behind a carriage return is part of it, where both are separators. */
export function createCutter(
  separators: readonly number[],
  maxBytes: number,
  fault: Fault,
): Cutter {
  let chunks: Uint8Array[] = []
  let size = 0
  let last = 0
  const keep = (part: Uint8Array): void => {
    size += part.byteLength
    if (size > maxBytes) throw fault('too_large', `has an item of more than ${maxBytes} bytes`)
    if (part.byteLength > 0) chunks.push(part)
  }
  const rest = (): Uint8Array => {
    const [first = new Uint8Array()] = chunks
    const piece = chunks.length < 2 ? first : concatBytes(chunks, size)
    chunks = []
    size = 0
    return piece
  }
  return {
    *cut(chunk) {
      let start = 0
      for (const [at, byte] of chunk.entries()) {
        const before = last
        last = byte
        if (!separators.includes(byte)) continue
        if (byte === 10 && before === 13 && separators.includes(13)) {
          start = at + 1
          continue
        }
        keep(chunk.subarray(start, at))
        start = at + 1
        yield [rest(), byte]
      }
      keep(chunk.subarray(start))
    },
    rest,
  }
}

function concatBytes(parts: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}

/** Parses an item. It may be secret, so no error quotes it. */
export function parseItem(text: string, fault: Fault): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw fault('malformed_json', 'has an item that is broken JSON')
  }
}
