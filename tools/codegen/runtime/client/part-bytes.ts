import { isFileInput, openFile, type Takes } from './files.js'
import { toPlainString } from './text.js'

/** Types of parts by their place: those of the first, and that of the others. */
export type PartTypes = { readonly prefix: readonly string[]; readonly rest?: string }

/** The bytes of a multipart body. A part is made when the one before it was taken. */
export function streamParts(
  iterator: Iterator<unknown> | AsyncIterator<unknown>,
  boundary: string,
  { prefix, rest }: PartTypes,
  takes: Takes,
): ReadableStream<Uint8Array> {
  async function* writeParts(): AsyncGenerator<Uint8Array, undefined> {
    const encoder = new TextEncoder()
    for (let index = 0; ; index++) {
      const { done, value } = await iterator.next()
      if (done === true) break
      const { head, body } = await writePart(value, prefix[index] || rest, takes, `body.${index}`)
      yield encoder.encode(`--${boundary}\r\n${head}\r\n`)
      yield* body
      yield encoder.encode('\r\n')
    }
    yield encoder.encode(`--${boundary}--\r\n`)
  }
  const made = writeParts()
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await made.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => {
        await made.return(undefined)
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

type WrittenPart = {
  readonly head: string
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** A type such as `image/*` cannot be sent. */
async function writePart(
  value: unknown,
  declared: string | undefined,
  takes: Takes,
  place: string,
): Promise<WrittenPart> {
  const exact = declared === undefined || /[*,]/.test(declared) ? undefined : declared
  const isJson = exact !== undefined && /json/i.test(exact)
  if (isFileInput(value, takes === 'files' && isPlain(value) ? 'values' : takes))
    return writeFilePart(value, exact, place)
  const isText = isPlain(value) && !isJson
  const text = isText ? toPlainString(value) : JSON.stringify(value)
  const type = exact ?? (isText ? 'text/plain;charset=UTF-8' : 'application/json')
  return {
    head: `Content-Type: ${removeLineBreaks(type)}\r\n`,
    body: [new TextEncoder().encode(text)],
  }
}

async function writeFilePart(
  value: unknown,
  exact: string | undefined,
  place: string,
): Promise<WrittenPart> {
  const file = await openFile(value, place)
  const own = 'blob' in file ? file.blob.type : file.type
  const name =
    file.name === place
      ? ''
      : `Content-Disposition: attachment; filename="${escapeName(file.name)}"\r\n`
  const type = exact ?? (own || 'application/octet-stream')
  return {
    head: `Content-Type: ${removeLineBreaks(type)}\r\n${name}`,
    body: readChunks('blob' in file ? file.blob.stream() : file.stream()),
  }
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof Date
}

/** Not every browser iterates a stream. */
async function* readChunks(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  const reader = stream.getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function removeLineBreaks(text: string): string {
  return text.replace(/[\r\n]/g, ' ')
}

function escapeName(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}
