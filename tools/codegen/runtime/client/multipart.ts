import type { BodyFacts, PreparedBody } from './call.js'
import { isFileInput, openFile, createRejection, type OpenFile, type Takes } from './files.js'
import { InvalidInputError } from './invalid-input-error.js'
import { findDelimiter, toPlainString } from './text.js'

type Part = {
  readonly name: string
  readonly value: string | OpenFile
  readonly type: string | undefined
}

/** The parts of the body in order: bytes in memory, or a function that opens bytes anew. */
type Piece = StreamablePiece | Blob
type StreamablePiece = Uint8Array<ArrayBuffer> | (() => ReadableStream<Uint8Array>)

/**
 * A multipart/form-data body (RFC 7578), with the same bytes on each attempt. If every part is in
 * memory or on disk, the body is a Blob: its length is known, and files on disk are read while they
 * are sent. If a part is a stream, the body is a stream without a length, made anew for each
 * attempt and not buffered. FormData is not used: its boundary changes each time, and it adds a
 * file name to values that are not files.
 */
export async function createMultipartBody(
  fields: Readonly<Record<string, unknown>>,
  {
    encoding = {},
    files = [],
    alsoValues = [],
    maxFileBytes = {},
  }: Pick<BodyFacts, 'encoding' | 'files' | 'alsoValues' | 'maxFileBytes'> = {},
): Promise<PreparedBody> {
  const takes = (name: string): Takes =>
    !files.includes(name) ? 'values' : alsoValues.includes(name) ? 'either' : 'files'
  const parts = await Promise.all(
    Object.entries(fields).map(([name, value]) =>
      createParts(
        {
          name,
          type: encoding[name]?.contentType,
          delimiter: findDelimiter(encoding[name] ?? {}),
          takes: takes(name),
          maxBytes: maxFileBytes[name] ?? Infinity,
        },
        value,
      ),
    ),
  )
  const boundary = `farebox-${crypto.randomUUID()}`
  const pieces = [
    ...parts.flat().flatMap((part) => encodePart(part, boundary)),
    encodeString(`--${boundary}--\r\n`),
  ]
  const contentType = `multipart/form-data; boundary=${boundary}`
  const held = joinInMemory(pieces)
  // the Blob of jsdom has no stream, and no fetch sends it
  if (held)
    return { body: 'stream' in held ? held : await (held as Blob).arrayBuffer(), contentType }
  const streamed = pieces.map((piece) => {
    const { size } = piece as Blob
    // Bun reads a file that has changed
    return piece instanceof Blob ? () => enforceSize(piece.stream(), 'form', size, size) : piece
  })
  return { body: () => streamPieces(streamed), contentType }
}

/** The pieces as one Blob, if all are in memory. Bun drops files on disk from a Blob. */
function joinInMemory(pieces: readonly Piece[]): Blob | undefined {
  const blob = new Blob(pieces as BlobPart[])
  // a function has no size, which makes the sum NaN
  const size = (pieces as readonly (Partial<Blob> & Uint8Array)[]).reduce(
    (sum, piece) => sum + (piece.size ?? piece.byteLength),
    0,
  )
  return blob.size === size ? blob : undefined
}

type Field = {
  readonly name: string
  readonly type: string | undefined
  readonly delimiter: string | undefined
  readonly takes: Takes
  readonly maxBytes: number
}

/**
 * Makes a part for each item of an array, unless the contract wants the array as one part: of JSON, or
 * of its items and what is between them.
 */
async function createParts(field: Field, value: unknown): Promise<readonly Part[]> {
  const { delimiter, takes } = field
  const items: readonly unknown[] = Array.isArray(value) && !isJson(field.type) ? value : [value]
  const given = items.filter((item) => item !== undefined && item !== null)
  const isJoined = items === value && given.length > 0 && takes === 'values'
  return Promise.all(
    (isJoined && delimiter !== undefined ? [given.map(toPlainString).join(delimiter)] : given).map(
      (item) => createPart(field, item),
    ),
  )
}

async function createPart(field: Field, value: unknown): Promise<Part> {
  const { name, takes } = field
  // a choice such as `image/png, image/*` is not a type that can be sent
  const type = field.type === undefined || /[*,]/.test(field.type) ? undefined : field.type
  if (isFileInput(value, takes))
    return { name, value: limitFile(await openFile(value, name), field), type }
  const isPlain = typeof value !== 'object' || value instanceof Date
  if (isPlain && !isJson(type)) return { name, value: toPlainString(value), type }
  return { name, value: JSON.stringify(value), type: type ?? 'application/json' }
}

function isJson(type = ''): boolean {
  return /json/i.test(type)
}

/**
 * Rejects a file that is too large before the call is sent. A stream of unknown size breaks off at
 * the first byte above the limit.
 */
function limitFile(file: OpenFile, { name, maxBytes }: Field): OpenFile {
  if (!('blob' in file))
    return maxBytes === Infinity
      ? file
      : { ...file, stream: () => enforceSize(file.stream(), name, 0, maxBytes) }
  if (file.blob.size > maxBytes)
    throw new InvalidInputError(`${name}: the file has more than ${maxBytes} bytes.`)
  return file
}

/** Passes on a stream of `least` to `most` bytes, and breaks any other off. */
function enforceSize(
  stream: ReadableStream<Uint8Array>,
  name: string,
  least: number,
  most: number,
): ReadableStream<Uint8Array> {
  let size = 0
  const count = (part: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>) => {
    size += part.byteLength
    if (size > most) throw createRejection(`${name}: the file has more than ${most} bytes.`)
    controller.enqueue(part)
  }
  const flush = () => {
    if (size < least)
      throw createRejection(`${name}: the file has ${size} bytes instead of ${least}.`)
  }
  return stream.pipeThrough(new TransformStream({ transform: count, flush }))
}

function encodePart({ name, value, type }: Part, boundary: string): readonly Piece[] {
  const disposition = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`
  if (typeof value === 'string')
    return [encodeString(`${disposition}\r\n${printTypeLine(type)}\r\n${value}\r\n`)]
  const own = 'blob' in value ? value.blob.type : value.type
  const head = `${disposition}; filename="${escapeName(value.name)}"\r\n${printTypeLine(type ?? (own || 'application/octet-stream'))}\r\n`
  return [encodeString(head), 'blob' in value ? value.blob : value.stream, encodeString('\r\n')]
}

function encodeString(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

function printTypeLine(type: string | undefined): string {
  return type === undefined ? '' : `Content-Type: ${type.replace(/[\r\n]/g, ' ')}\r\n`
}

/** Escapes a name as browsers do (HTML, "multipart/form-data encoding algorithm"). */
function escapeName(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}

/**
 * Joins the pieces. Every stream is opened before the first byte is sent, so that one that cannot
 * be opened ends the attempt and not the body. A cancel reaches all of them.
 */
function streamPieces(pieces: readonly StreamablePiece[]): ReadableStream<Uint8Array> {
  const waiting = openAll(pieces)
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        while (reader !== undefined || waiting.length > 0) {
          if (reader === undefined) {
            const piece = waiting.shift()
            if (ArrayBuffer.isView(piece)) return controller.enqueue(piece)
            reader = piece?.getReader()
            continue
          }
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          reader = undefined
        }
        controller.close()
      } catch (error) {
        await cancelAll(waiting, error)
        throw error
      }
    },
    async cancel(reason) {
      await Promise.all([reader?.cancel(reason), cancelAll(waiting, reason)])
    },
  })
}

type OpenPiece = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

function openAll(pieces: readonly StreamablePiece[]): OpenPiece[] {
  const opened: OpenPiece[] = []
  try {
    for (const piece of pieces) opened.push(typeof piece === 'function' ? piece() : piece)
    return opened
  } catch (error) {
    void cancelAll(opened, error)
    throw error
  }
}

async function cancelAll(opened: OpenPiece[], reason: unknown): Promise<void> {
  const streams = opened
    .splice(0)
    .flatMap((one) => (one instanceof ReadableStream ? [one.cancel(reason)] : []))
  await Promise.allSettled(streams)
}
