import { InvalidInputError } from './invalid-input-error.js'

/** A file's bytes read one piece after another, afresh on each attempt. */
export type StreamSource = {
  readonly stream: () => ReadableStream<Uint8Array>
  readonly name?: string
  /** Media type. Default application/octet-stream. */
  readonly type?: string
}

/** Bytes to send: in memory, on disk (in Node, bun and deno), or from a stream that can be made anew. */
export type FileInput =
  | Blob
  | Uint8Array
  | ArrayBuffer
  | { readonly path: string; readonly type?: string }
  | StreamSource
  | (() => ReadableStream<Uint8Array>)

/** What a part of a multipart body is made of, once files on disk are opened. */
export type OpenFile = { readonly blob: Blob; readonly name: string } | (StreamSource & { readonly name: string })

/**
 * Whether a value stands for bytes. A record that names a path or makes a stream does only where the contract takes a file
 * (`declared`): elsewhere it is plain data, and data from somebody else must not have a file of ours sent off.
 */
export function isFileInput(value: unknown, declared: boolean): value is FileInput {
  if (value instanceof Blob || value instanceof Uint8Array || value instanceof ArrayBuffer || typeof value === 'function') return true
  if (!declared || typeof value !== 'object' || value === null) return false
  return ('path' in value && typeof value.path === 'string') || ('stream' in value && typeof value.stream === 'function')
}

/** Opens a file without reading more than a byte. A file on disk stays on disk; it must not change before the call has settled. */
export async function openFile(input: FileInput, field: string): Promise<OpenFile> {
  if (typeof input === 'function') return { stream: input, name: field }
  if (input instanceof Blob) return { blob: input, name: 'name' in input && typeof input.name === 'string' ? input.name : field }
  if (input instanceof Uint8Array || input instanceof ArrayBuffer) return { blob: new Blob([input as BlobPart]), name: field }
  if ('path' in input) return openPath(input, field)
  // a Blob of another maker has its stream on the prototype
  const { type } = input
  return { stream: () => input.stream(), name: input.name ?? field, ...(type !== undefined && { type }) }
}

async function openPath({ path, type }: { readonly path: string; readonly type?: string }, field: string): Promise<OpenFile> {
  const { process } = globalThis as { readonly process?: { readonly getBuiltinModule?: (name: string) => unknown } }
  const fs = process?.getBuiltinModule?.('node:fs') as
    | { readonly openAsBlob: (path: string, options?: { type?: string }) => Promise<Blob> }
    | undefined
  if (fs === undefined)
    throw new InvalidInputError(`${field}: a file is named by its path, but there is no file system here. Give a Blob, a File or bytes.`)
  try {
    const blob = await fs.openAsBlob(path, type === undefined ? {} : { type })
    // a folder, or a file without permission, is found out here and not in the middle of the body
    await blob.slice(0, 1).arrayBuffer()
    return { blob, name: path.split(/[\\/]/).pop() ?? field }
  } catch (cause) {
    throw new InvalidInputError(`${field}: the file ${JSON.stringify(path)} cannot be read. Check the path and its permissions.`, { cause })
  }
}
