import { InvalidInputError } from './invalid-input-error.js'

/** Opens the bytes of a file as a new stream for each attempt. */
export type StreamSource = {
  readonly stream: () => ReadableStream<Uint8Array>
  readonly name?: string
  /** Media type. Default application/octet-stream. */
  readonly type?: string
}

/**
 * Bytes to send: in memory, on disk (in Node, Bun and Deno), or from a function that makes a new
 * stream at each call. Anything else is rejected with `InvalidInputError` before the call is sent: a
 * string, a `Response`, a `URL`, and a stream, which can be read only once.
 */
export type FileInput =
  | Blob
  | ArrayBufferView
  | ArrayBuffer
  | { readonly path: string; readonly type?: string }
  | StreamSource
  | (() => ReadableStream<Uint8Array>)

/** A part of a multipart body, after files on disk were opened. */
export type OpenFile =
  | { readonly blob: Blob; readonly name: string }
  | (StreamSource & { readonly name: string })

/** Whether the contract takes files only, files and other values, or other values only. */
export type Takes = 'files' | 'either' | 'values'

/**
 * Whether a value is opened as a file. If the contract takes only files, it always is. If it takes
 * none, a record that names a path or makes a stream is plain data: data from a third party must
 * not upload a local file.
 */
export function isFileInput(value: unknown, takes: Takes): boolean {
  if (
    takes === 'files' ||
    value instanceof Blob ||
    isBytes(value) ||
    typeof value === 'function' ||
    isReadOnce(value)
  )
    return true
  return takes === 'either' && (has(value, 'path', 'string') || has(value, 'stream', 'function'))
}

/** Opens a file, reading at most one byte. One on disk must not change during the call. */
export async function openFile(input: unknown, field: string): Promise<OpenFile> {
  if (input instanceof Blob) {
    const blob = await openReadable(
      async () => input,
      'the Blob cannot be read. Its file may be gone.',
      field,
    )
    return {
      blob,
      name:
        'name' in input && typeof input.name === 'string' ? findBaseName(input.name, field) : field,
    }
  }
  if (isBytes(input)) return { blob: new Blob([input as BlobPart]), name: field }
  if (typeof input === 'function')
    return { stream: createStreamOpener(() => input() as unknown, field), name: field }
  if (!isReadOnce(input) && has(input, 'path', 'string'))
    return openPath(input as PathSource, field)
  if (has(input, 'stream', 'function')) {
    const { name = field, type } = input as StreamSource
    // a Blob of another implementation has its stream on the prototype
    return {
      stream: createStreamOpener(() => (input as StreamSource).stream(), field),
      name,
      ...(type !== undefined && { type }),
    }
  }
  throw new InvalidInputError(
    `${field}: found ${describeKind(input)}, expected a file: a Blob, a File, bytes, { path }, or a function that makes a new stream at each call. ` +
      'Give a string as new Blob([text]), and a Response as await response.blob().',
  )
}

type PathSource = { readonly path: string; readonly type?: string }

async function openPath({ path, type }: PathSource, field: string): Promise<OpenFile> {
  const { process } = globalThis as {
    readonly process?: { readonly getBuiltinModule?: (name: string) => unknown }
  }
  const fs = process?.getBuiltinModule?.('node:fs') as
    | { readonly openAsBlob: (path: string, options?: { type?: string }) => Promise<Blob> }
    | undefined
  if (fs === undefined)
    throw new InvalidInputError(
      `${field}: a file is named by its path, but there is no file system here. Give a Blob, a File or bytes.`,
    )
  const open = async () => fs.openAsBlob(path, type === undefined ? {} : { type })
  const blob = await openReadable(
    open,
    `the file ${JSON.stringify(path)} cannot be read. Check the path and its permissions.`,
    field,
  )
  return { blob, name: findBaseName(path, field) }
}

/** Finds a folder, or a file without permission, before the body begins. */
async function openReadable(
  open: () => Promise<Blob>,
  otherwise: string,
  field: string,
): Promise<Blob> {
  try {
    const blob = await open()
    await blob.slice(0, 1).arrayBuffer()
    return blob
  } catch (cause) {
    throw new InvalidInputError(`${field}: ${otherwise}`, { cause })
  }
}

/** Rejects an attempt. `retryable: false`, since another attempt would fail in the same way. */
export function createRejection(message: string, cause?: unknown): InvalidInputError {
  return Object.assign(new InvalidInputError(message, { cause }), {
    retryable: false,
    mayHaveArrived: false,
  })
}

/** Opens a stream for one attempt. One that was read before would upload an empty file. */
function createStreamOpener(open: () => unknown, field: string): () => ReadableStream<Uint8Array> {
  return () => {
    const stream = openStream(open, field)
    if (!has(stream, 'getReader', 'function'))
      throw createRejection(
        `${field}: the function gave ${describeKind(stream)}, expected a ReadableStream.`,
      )
    if (given.has(stream) || isRead(stream as ReadableStream<Uint8Array>))
      throw createRejection(
        `${field}: the function gave a stream that was read before. Make a new one at each call.`,
      )
    given.add(stream)
    return stream as ReadableStream<Uint8Array>
  }
}

function openStream(open: () => unknown, field: string): unknown {
  try {
    return open()
  } catch (cause) {
    throw createRejection(
      `${field}: the function that makes the stream failed: ${String(cause)}`,
      cause,
    )
  }
}

/** Only a Response tells on all platforms, and most of them reject such a stream. */
function isRead(stream: ReadableStream<Uint8Array>): boolean {
  try {
    return new Response(stream).bodyUsed
  } catch {
    return true
  }
}

const given = new WeakSet()

function isBytes(value: unknown): value is ArrayBufferView | ArrayBuffer {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer
}

/** A stream of the web or of Node, an async iterable, a Response or a Request. */
function isReadOnce(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return (
    has(value, 'getReader', 'function') ||
    Symbol.asyncIterator in value ||
    (has(value, 'arrayBuffer', 'function') && 'bodyUsed' in value)
  )
}

function has(value: unknown, name: string, type: 'string' | 'function'): value is object {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === type
}

function findBaseName(path: string, field: string): string {
  return path.split(/[\\/]/).pop() || field
}

/** Names the kind of a value. The value itself may be secret. */
function describeKind(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return value === null ? 'null' : `a ${typeof value}`
  const { constructor } = value as { readonly constructor?: { readonly name?: string } }
  return `an object of ${constructor?.name ?? 'no class'}`
}
