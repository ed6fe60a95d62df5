import type { OperationData, Values } from '../contract/operation-data.js'
import { written } from '../contract/written.js'

export type PlannedRequest = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: BodyInit
}

/** The request that an operation makes of the values. */
export function buildRequest(
  { method, path, body: content }: OperationData,
  values: Values,
  origin: string,
): PlannedRequest {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(written(values.path[name] ?? '')),
  )
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values.query))
    if (value !== undefined) query.set(name, written(value))
  const url = `${origin}/api/v1${filled}${query.size > 0 ? `?${query}` : ''}`
  if (content === undefined) return { url, method, headers: {} }
  if (content.mediaType !== 'multipart/form-data')
    return {
      url,
      method,
      headers: { 'content-type': content.mediaType },
      body: JSON.stringify(values.body ?? {}),
    }
  const form = new FormData()
  for (const [name, value] of Object.entries(values.body ?? {})) {
    if (value instanceof Blob) form.set(name, value)
    else if (value !== undefined) form.set(name, written(value))
  }
  // fetch writes the boundary into the header
  return { url, method, headers: {}, body: form }
}
