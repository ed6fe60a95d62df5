import { InvalidInputError } from './invalid-input-error.js'

/** A file's bytes read one piece after another, afresh on each attempt. */
export type StreamSource = {
  readonly stream: () => ReadableStream<Uint8Array>
  readonly name?: string
  /** Media type. Default application/octet-stream. */
  readonly type?: string
}

/**
 * Bytes to send: in memory, on disk (in Node, bun and deno), or from a function that makes a new
 * stream at each call. What is not in this list is refused with `InvalidInputError` before anything
 * is sent: a text, a `Response`, a `URL`, and a stream itself, as it can be read once.
 */
export type FileInput =
  | Blob
  | ArrayBufferView
  | ArrayBuffer
  | { readonly path: string; readonly type?: string }
  | StreamSource
  | (() => ReadableStream<Uint8Array>)

/** What a part of a multipart body is made of, once files on disk are opened. */
export type OpenFile = { readonly blob: Blob; readonly name: string } | (StreamSource & { readonly name: string })

/** What the contract takes in a place: files alone, files and other values, or other values alone. */
export type Takes = 'files' | 'either' | 'values'

/**
 * Whether a value is to be opened as a file. Where the contract takes nothing else, it always is. A
 * record that names a path or makes a stream is plain data where the contract takes no file: data
 * from somebody else must not have a file of ours sent off.
 */
export function isFileInput(value: unknown, takes: Takes): boolean {
  if (takes === 'files' || value instanceof Blob || isBytes(value) || typeof value === 'function' || isReadOnce(value)) return true
  return takes === 'either' && (has(value, 'path', 'string') || has(value, 'stream', 'function'))
}

/**
 * Opens a file without reading more than a byte. A file on disk stays on disk; it must not change
 * before the call has settled.
 */
export async function openFile(input: unknown, field: string): Promise<OpenFile> {
  if (input instanceof Blob) {
    const blob = await readable(async () => input, 'the Blob cannot be read. Its file may be gone.', field)
    return { blob, name: 'name' in input && typeof input.name === 'string' ? baseName(input.name, field) : field }
  }
  if (isBytes(input)) return { blob: new Blob([input as BlobPart]), name: field }
  if (typeof input === 'function') return { stream: fresh(() => input() as unknown, field), name: field }
  if (!isReadOnce(input) && has(input, 'path', 'string')) return openPath(input as PathSource, field)
  if (has(input, 'stream', 'function')) {
    const { name = field, type } = input as StreamSource
    // a Blob of another maker has its stream on the prototype
    return { stream: fresh(() => (input as StreamSource).stream(), field), name, ...(type !== undefined && { type }) }
  }
  throw new InvalidInputError(
    `${field}: found ${kindOf(input)}, expected a file: a Blob, a File, bytes, { path }, or a function that makes a new stream at each call. ` +
      'Give a text as new Blob([text]), and a Response as await response.blob().',
  )
}

type PathSource = { readonly path: string; readonly type?: string }

async function openPath({ path, type }: PathSource, field: string): Promise<OpenFile> {
  const { process } = globalThis as { readonly process?: { readonly getBuiltinModule?: (name: string) => unknown } }
  const fs = process?.getBuiltinModule?.('node:fs') as
    | { readonly openAsBlob: (path: string, options?: { type?: string }) => Promise<Blob> }
    | undefined
  if (fs === undefined)
    throw new InvalidInputError(`${field}: a file is named by its path, but there is no file system here. Give a Blob, a File or bytes.`)
  const open = async () => fs.openAsBlob(path, type === undefined ? {} : { type })
  const blob = await readable(open, `the file ${JSON.stringify(path)} cannot be read. Check the path and its permissions.`, field)
  return { blob, name: baseName(path, field) }
}

/** Finds a folder, or a file without permission, here and not in the middle of the body. */
async function readable(open: () => Promise<Blob>, otherwise: string, field: string): Promise<Blob> {
  try {
    const blob = await open()
    await blob.slice(0, 1).arrayBuffer()
    return blob
  } catch (cause) {
    throw new InvalidInputError(`${field}: ${otherwise}`, { cause })
  }
}

/** Refuses an attempt. Another one would find the same, so a retry is told not to make it. */
export function refusal(message: string): InvalidInputError {
  return Object.assign(new InvalidInputError(message), { retryable: false, mayHaveArrived: false })
}

/** Opens a stream for one attempt. One that was read, or given before, would send an empty file. */
function fresh(open: () => unknown, field: string): () => ReadableStream<Uint8Array> {
  return () => {
    const stream = open()
    if (!has(stream, 'getReader', 'function')) throw refusal(`${field}: the function gave ${kindOf(stream)}, expected a ReadableStream.`)
    if (given.has(stream) || isRead(stream as ReadableStream<Uint8Array>))
      throw refusal(`${field}: the function gave a stream that was read before. Make a new one at each call.`)
    given.add(stream)
    return stream as ReadableStream<Uint8Array>
  }
}

/** Only a Response knows on all platforms, and most refuse such a stream. */
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
    has(value, 'getReader', 'function') || Symbol.asyncIterator in value || (has(value, 'arrayBuffer', 'function') && 'bodyUsed' in value)
  )
}

function has(value: unknown, name: string, type: 'string' | 'function'): value is object {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === type
}

function baseName(path: string, field: string): string {
  return path.split(/[\\/]/).pop() || field
}

/** What a value is, in a word: never the value itself, which may be a secret. */
function kindOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : `a ${typeof value}`
  const { constructor } = value as { readonly constructor?: { readonly name?: string } }
  return `an object of ${constructor?.name ?? 'no class'}`
}
