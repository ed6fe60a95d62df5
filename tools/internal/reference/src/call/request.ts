import type { OperationData, Values } from '../contract/operation-data.js'

export type PlannedRequest = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: BodyInit
}

/** Builds the request of an operation from the values of its form. */
export function buildRequest(
  { method, path, body: content }: OperationData,
  values: Values,
  origin: string,
): PlannedRequest {
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(formatValue(values.path[name] ?? '')),
  )
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values.query))
    if (value !== undefined) query.set(name, formatValue(value))
  const url = `${origin}/api/v1${filledPath}${query.size > 0 ? `?${query}` : ''}`
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
    else if (value !== undefined) form.set(name, formatValue(value))
  }
  // no content type: fetch sets it, with the boundary
  return { url, method, headers: {}, body: form }
}

/** Formats a plain value for a path, a query, a form or an input. */
export function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
