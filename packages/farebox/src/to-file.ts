import { readStart } from '@farebox/middleware'
import { FareboxError } from './error.js'
import { findFault, type Rules } from './check-options.js'

export type ToFileOptions = {
  /** Media type. Default: that of the response or the Blob. */
  readonly type?: string
  /** Default 64 MiB. */
  readonly maxBytes?: number
}

const rules: Rules<ToFileOptions> = {
  type: true,
  maxBytes: (value = 0) => (Number(value) >= 0 ? undefined : 'is not a number of bytes.'),
}

/**
 * Reads a response, a stream, a string or bytes into a File, which every file field accepts and
 * every retry can send again. Throws a `FareboxError` with the code `invalid_input` for a failed
 * response, for a body that was read before or breaks off, and beyond `maxBytes`.
 *
 * @param name the file name, which the service sees
 * @example
 * ```ts
 * const file = await toFile(await fetch('https://example.com/fares.pdf'), 'fares.pdf')
 * const { text } = await farebox.parseText({ file })
 * ```
 */
export async function toFile(
  source: Response | ReadableStream<Uint8Array> | Blob | ArrayBuffer | Uint8Array | string,
  name: string,
  options: ToFileOptions = {},
): Promise<File> {
  const { type, maxBytes = 2 ** 26 } = options
  const inputError = (why: string, cause?: unknown) =>
    new FareboxError(`toFile: ${why}`, { code: 'invalid_input', attempts: 0, cause })
  const fault = findFault(options, rules, 'toFile')
  if (fault !== undefined) throw inputError(fault)
  if (!isSource(source))
    throw inputError(
      'the source is not a Response, a stream, a Blob, bytes or a string. Await a promise, and fetch a URL.',
    )
  if (source instanceof Response && !source.ok)
    throw inputError(`the response has the status ${source.status}, so its body is not the file.`)
  try {
    const response = source instanceof Response ? source : new Response(source as Blob)
    const { chunks, reader } = await readStart(response, maxBytes + 1)
    // ends the body, or rejects with what broke it
    const rest = await reader?.read()
    await reader?.cancel()
    const size = chunks.reduce((sum, chunk) => sum + chunk.byteLength, rest?.value?.byteLength ?? 0)
    if (size > maxBytes)
      throw inputError(
        `the source has more than ${maxBytes} bytes. Raise maxBytes, or pass a function that returns a stream.`,
      )
    return new File(chunks as Uint8Array<ArrayBuffer>[], name, {
      type: type ?? response.headers.get('content-type') ?? '',
    })
  } catch (error) {
    throw error instanceof FareboxError
      ? error
      : inputError(
          'the source cannot be read. It may have been read before, or it broke off.',
          error,
        )
  }
}

/** Anything else would become a string such as `[object Object]`. Node accepts its streams too. */
function isSource(source: unknown): boolean {
  const kinds = [Response, ReadableStream, Blob, ArrayBuffer]
  const isNodeStream =
    typeof source === 'object' &&
    source !== null &&
    Symbol.asyncIterator in source &&
    'pipe' in source
  return (
    typeof source === 'string' ||
    ArrayBuffer.isView(source) ||
    isNodeStream ||
    kinds.some((kind) => source instanceof kind)
  )
}
