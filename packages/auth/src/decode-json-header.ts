import { isRecord } from '@farebox/middleware'

/** A header of these protocols has about 1 kB. Node accepts 16 KiB for all headers together. */
export const mostCharacters = 8192

/**
 * Decodes the object in a header value of base64 JSON; undefined for anything else. Only canonical
 * base64 in the standard alphabet with padding is accepted.
 */
export function decodeJsonHeader(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'string' || value.length > mostCharacters) return undefined
  if (value.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return undefined
  try {
    const binary = atob(value)
    if (btoa(binary) !== value) return undefined
    // the iterator of `Uint8Array.from` takes five times as long, and a server does this often
    const bytes = new Uint8Array(binary.length).map((_, at) => binary.charCodeAt(at))
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const parsed: unknown = JSON.parse(text)
    return isRecord(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}
