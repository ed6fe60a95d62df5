import type { BodyFacts, PreparedBody } from './call.js'
import { isFileInput, openFile, type OpenFile } from './files.js'
import { InvalidInputError } from './invalid-input-error.js'
import { plainText } from './text.js'

type Part = { readonly name: string; readonly value: string | OpenFile; readonly type?: string }

/** What the body is made of, in order: text, bytes that are held, or a function that opens bytes anew. */
type Piece = string | Blob | (() => ReadableStream<Uint8Array>)

/**
 * A multipart/form-data body (RFC 7578), the same bytes on each attempt. Where every part can be held it is a Blob, which knows its
 * length and reads files on disk only as they are sent; where one part is a stream the body is a stream, made anew for each
 * attempt, with its length unknown and nothing buffered. Written here, not by FormData, whose boundary is another one each time and
 * which gives a file name to parts that are no files.
 */
export async function multipartBody(
  fields: Readonly<Record<string, unknown>>,
  { encoding = {}, files = [], maxFileBytes = {} }: Pick<BodyFacts, 'encoding' | 'files' | 'maxFileBytes'> = {},
): Promise<PreparedBody> {
  const parts = await Promise.all(
    Object.entries(fields).map(([name, value]) =>
      partsOf({ name, type: encoding[name]?.contentType, isFile: files.includes(name), maxBytes: maxFileBytes[name] ?? Infinity }, value),
    ),
  )
  const boundary = `farebox-${crypto.randomUUID()}`
  const pieces = [...parts.flat().flatMap((part) => piecesOf(part, boundary)), `--${boundary}--\r\n`]
  const contentType = `multipart/form-data; boundary=${boundary}`
  return pieces.every((piece) => typeof piece !== 'function')
    ? { body: new Blob(pieces), contentType }
    : { body: () => streamOf(pieces), contentType }
}

type Field = { readonly name: string; readonly type: string | undefined; readonly isFile: boolean; readonly maxBytes: number }

/** A list is a part for each item, unless the contract wants it whole, as JSON. */
async function partsOf(field: Field, value: unknown): Promise<readonly Part[]> {
  if (value === undefined || value === null) return []
  const { name } = field
  // The contract may offer a choice, such as `image/png, image/*`: that is no type to send.
  const type = field.type === undefined || /[*,]/.test(field.type) ? undefined : field.type
  if (isFileInput(value, field.isFile)) {
    return [{ name, value: limited(await openFile(value, name), field), ...(type !== undefined && { type }) }]
  }
  if (Array.isArray(value) && !/json/i.test(type ?? '')) {
    const items = value.map((item: unknown) => (Array.isArray(item) ? Promise.resolve([jsonPart(name, item, type)]) : partsOf(field, item)))
    return (await Promise.all(items)).flat()
  }
  const isPlain = typeof value !== 'object' || value instanceof Date
  if (!isPlain || /json/i.test(type ?? '')) return [jsonPart(name, value, type)]
  return [{ name, value: plainText(value), ...(type !== undefined && { type }) }]
}

/** Refuses a file that is too large before anything is sent; one whose size shows only as it is read, at the byte that is too many. */
function limited(file: OpenFile, { name, maxBytes }: Field): OpenFile {
  const tooLarge = (found: string) =>
    new InvalidInputError(`${name}: the file has ${found} bytes, and ${maxBytes} are taken at most. Give a smaller one.`)
  if ('blob' in file) {
    if (file.blob.size > maxBytes) throw tooLarge(String(file.blob.size))
    return file
  }
  if (maxBytes === Infinity) return file
  return { ...file, stream: () => file.stream().pipeThrough(counted(maxBytes, () => tooLarge(`more than ${maxBytes}`))) }
}

function counted(maxBytes: number, tooLarge: () => Error): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform: (part, controller) => {
      size += part.byteLength
      if (size > maxBytes) throw tooLarge()
      controller.enqueue(part)
    },
  })
}

function jsonPart(name: string, value: unknown, type = 'application/json'): Part {
  return { name, value: JSON.stringify(value), type }
}

function piecesOf({ name, value, type }: Part, boundary: string): readonly Piece[] {
  const disposition = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`
  if (typeof value === 'string') return [`${disposition}\r\n${typeLine(type)}\r\n${value}\r\n`]
  const own = 'blob' in value ? value.blob.type : value.type
  const head = `${disposition}; filename="${escapeName(value.name)}"\r\n${typeLine(type ?? (own || 'application/octet-stream'))}\r\n`
  return [head, 'blob' in value ? value.blob : value.stream, '\r\n']
}

function typeLine(type: string | undefined): string {
  return type === undefined ? '' : `Content-Type: ${type.replace(/[\r\n]/g, ' ')}\r\n`
}

/** As browsers do it (HTML, "multipart/form-data encoding algorithm"). */
function escapeName(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}

/** The pieces one after another; each is opened when its turn comes, and cancelling goes through to the one being read. */
function streamOf(pieces: readonly Piece[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const waiting = [...pieces]
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (reader !== undefined || waiting.length > 0) {
        if (reader === undefined) {
          const piece = waiting.shift() ?? ''
          if (typeof piece === 'string') return controller.enqueue(encoder.encode(piece))
          reader = (typeof piece === 'function' ? piece() : piece.stream()).getReader()
        }
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        reader = undefined
      }
      controller.close()
    },
    async cancel(reason) {
      waiting.length = 0
      await reader?.cancel(reason)
    },
  })
}
