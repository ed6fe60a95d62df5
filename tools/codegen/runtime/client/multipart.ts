import type { BodyFacts } from './call.js'
import { isFileInput, openFile, type OpenFile } from './files.js'

export type PreparedBody = { readonly body: BodyInit | (() => BodyInit); readonly contentType?: string }

type Part = { readonly name: string; readonly value: string | OpenFile; readonly type?: string }

/**
 * A multipart/form-data body (RFC 7578) that is built anew for each attempt. Where every part can be held, it is a FormData;
 * where one is a stream, it is a stream with the length unknown, and nothing is buffered.
 */
export async function multipartBody(
  fields: Readonly<Record<string, unknown>>,
  encoding: BodyFacts['encoding'] = {},
): Promise<PreparedBody> {
  const parts = (await Promise.all(Object.entries(fields).map(([name, value]) => partsOf(name, value, encoding[name]?.contentType)))).flat()
  if (!parts.some(({ value }) => typeof value === 'object' && 'stream' in value)) return { body: () => formData(parts) }
  const boundary = `farebox-${crypto.randomUUID()}`
  return { body: () => streamOf(parts, boundary), contentType: `multipart/form-data; boundary=${boundary}` }
}

async function partsOf(name: string, value: unknown, type: string | undefined): Promise<readonly Part[]> {
  if (value === undefined || value === null) return []
  if (isFileInput(value)) return [{ name, value: await openFile(value, name), ...(type !== undefined && { type }) }]
  if (Array.isArray(value) && type === undefined) return (await Promise.all(value.map((item) => partsOf(name, item, undefined)))).flat()
  if (typeof value === 'object') return [{ name, value: JSON.stringify(value), type: type ?? 'application/json' }]
  return [{ name, value: String(value), ...(type !== undefined && { type }) }]
}

function formData(parts: readonly Part[]): FormData {
  const form = new FormData()
  for (const { name, value, type } of parts) {
    if (typeof value === 'string') {
      if (type === undefined) form.append(name, value)
      else form.append(name, new Blob([value], { type }))
    } else if ('blob' in value) {
      form.append(
        name,
        type === undefined || type === value.blob.type ? value.blob : value.blob.slice(0, value.blob.size, type),
        value.name,
      )
    }
  }
  return form
}

function streamOf(parts: readonly Part[], boundary: string): ReadableStream<Uint8Array> {
  const chunks = chunksOf(parts, boundary)
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    async cancel(reason) {
      await chunks.return(reason)
    },
  })
}

async function* chunksOf(parts: readonly Part[], boundary: string): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder()
  for (const { name, value, type } of parts) {
    const fileName = typeof value === 'string' ? '' : `; filename="${escapeName(value.name)}"`
    const contentType =
      type ??
      (typeof value === 'string'
        ? undefined
        : 'blob' in value
          ? value.blob.type || 'application/octet-stream'
          : (value.type ?? 'application/octet-stream'))
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"${fileName}\r\n`
    yield encoder.encode(`${head}${contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`}\r\n`)
    if (typeof value === 'string') yield encoder.encode(value)
    else yield* read('blob' in value ? value.blob.stream() : value.stream())
    yield encoder.encode('\r\n')
  }
  yield encoder.encode(`--${boundary}--\r\n`)
}

async function* read(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader()
  let finished = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      yield value
    }
    finished = true
  } finally {
    if (!finished) await reader.cancel()
  }
}

/** As browsers do it (HTML, "multipart/form-data encoding algorithm"). */
function escapeName(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}
