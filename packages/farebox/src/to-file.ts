import { readStart } from '@farebox/middleware'
import { FareboxError } from './error.js'
import { unknownOption, type Names } from './check-options.js'

export type ToFileOptions = {
  /** Media type. Default: that of the response or the Blob. */
  readonly type?: string
  /** Default 64 MiB. */
  readonly maxBytes?: number
}

const optionNames: Names<ToFileOptions> = { type: true, maxBytes: true }

/**
 * Reads a response, a stream, a text or bytes into a File, which every file field takes and every
 * retry can send again. Throws a `FareboxError` with the code `invalid_input` for a failed
 * response, for a body that was read before or breaks off, and beyond `maxBytes`.
 */
export async function toFile(
  source: Response | ReadableStream<Uint8Array> | Blob | ArrayBuffer | Uint8Array | string,
  name: string,
  options: ToFileOptions = {},
): Promise<File> {
  const { type, maxBytes = 2 ** 26 } = options
  const refused = (why: string, cause?: unknown) => new FareboxError(`toFile: ${why}`, { code: 'invalid_input', attempts: 0, cause })
  const wrong = unknownOption(options, optionNames, 'toFile')
  if (wrong !== undefined) throw refused(wrong)
  if (!(maxBytes >= 0)) throw refused('maxBytes is not a number of bytes.')
  if (!isSource(source)) throw refused('the source is not a Response, a stream, a Blob, bytes or a text. Await a promise, and fetch a URL.')
  if (source instanceof Response && !source.ok) throw refused(`the response has the status ${source.status}, so its body is not the file.`)
  try {
    const response = source instanceof Response ? source : new Response(source as Blob)
    const { chunks, reader } = await readStart(response, maxBytes + 1)
    // ends the body, or rejects with what broke it
    const rest = await reader?.read()
    await reader?.cancel()
    const size = chunks.reduce((sum, chunk) => sum + chunk.byteLength, rest?.value?.byteLength ?? 0)
    if (size > maxBytes)
      throw refused(`the source has more than ${maxBytes} bytes. Raise maxBytes, or give a function that makes a stream.`)
    return new File(chunks as Uint8Array<ArrayBuffer>[], name, { type: type ?? response.headers.get('content-type') ?? '' })
  } catch (error) {
    throw error instanceof FareboxError
      ? error
      : refused('the source cannot be read. It may have been read before, or it broke off.', error)
  }
}

/** Anything else would become a text, such as `[object Object]`. Node takes its streams too. */
function isSource(source: unknown): boolean {
  const kinds = [Response, ReadableStream, Blob, ArrayBuffer]
  const isNodeStream = typeof source === 'object' && source !== null && Symbol.asyncIterator in source && 'pipe' in source
  return typeof source === 'string' || ArrayBuffer.isView(source) || isNodeStream || kinds.some((kind) => source instanceof kind)
}
