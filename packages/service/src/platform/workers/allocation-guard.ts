const largest = 64 * 1024 * 1024
const total = 2 * 1024 * 1024 * 1024

/**
 * Bounds the memory that this thread allocates while `work` runs. A stream of a PDF may inflate
 * without end, into doubling buffers or through `DecompressionStream`, and the heap limit of a
 * worker counts neither. Replaces both globals meanwhile, so it needs a worker with one task at a
 * time.
 *
 * Throws for an array or a stream of more than 64 MB, or 2 GB in all. Readers may catch the
 * exception, so `onRefused` is called at once, and the thread must then be stopped.
 */
export async function guardAllocations<T>(
  work: () => Promise<T>,
  onRefused: () => void,
): Promise<T> {
  const { Uint8Array: PlainArray, DecompressionStream: PlainStream } = globalThis
  let made = 0
  let refused = false
  const count = (bytes: number, together: number): void => {
    made += bytes
    if (together <= largest && made <= total) return
    if (!refused) onRefused()
    refused = true
    throw new RangeError('The thread has made more bytes than it may')
  }

  globalThis.Uint8Array = new Proxy(PlainArray, {
    construct(target, parameters: unknown[], newTarget) {
      const [length] = parameters
      if (typeof length === 'number') count(length, length)
      return Reflect.construct(target, parameters, newTarget) as Uint8Array
    },
  })
  globalThis.DecompressionStream = new Proxy(PlainStream, {
    construct(target, [format]: [CompressionFormat]) {
      const { readable, writable } = new target(format)
      return { readable: readable.pipeThrough(counting(count)), writable }
    },
  })
  try {
    return await work()
  } finally {
    globalThis.Uint8Array = PlainArray
    globalThis.DecompressionStream = PlainStream
  }
}

function counting(
  count: (bytes: number, together: number) => void,
): TransformStream<Uint8Array, Uint8Array> {
  let together = 0
  return new TransformStream({
    transform(chunk, controller) {
      together += chunk.length
      count(chunk.length, together)
      controller.enqueue(chunk)
    },
  })
}
