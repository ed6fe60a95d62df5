import type { Result } from './outputs.js'

/** Files as their bytes, and minus zero, which is written as zero, as zero. */
export async function plain(value: unknown): Promise<unknown> {
  if (value instanceof Blob) return [...new Uint8Array(await value.arrayBuffer())]
  if (value instanceof Uint8Array) return [...value]
  if (Array.isArray(value)) return Promise.all(value.map(plain))
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(async ([key, item]) => [key, await plain(item)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

/** What a client returned: a stream as its items, and bytes as such. */
export async function readResult(result: Result | undefined): Promise<unknown> {
  const value = result?.data ?? result?.error
  if (value instanceof Response) return [...new Uint8Array(await value.arrayBuffer())]
  if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value))
    return plain(value)
  const items: unknown[] = []
  for await (const item of value as AsyncIterable<unknown>) items.push(item)
  return plain(items)
}
