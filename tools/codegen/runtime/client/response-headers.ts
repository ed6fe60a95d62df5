import type { DecodedResponse } from './decode.js'

/** A declared header: its field in the result, its name, and what its text is read as. */
export type HeaderFacts = readonly [
  field: string,
  name: string,
  read: (text: string, headers: Headers) => unknown,
]

/** By status, range (`4XX`) or `default`. */
export type HeadersByStatus = Readonly<Record<string, readonly HeaderFacts[]>>

/**
 * Adds to a result the headers that the contract declares for its status. They are read when they
 * are asked for. One that is missing or is not as declared is left out.
 */
export async function withHeaders(
  result: Promise<DecodedResponse>,
  declared: HeadersByStatus,
): Promise<never> {
  const found = await result
  const { status, response } = found
  const facts =
    declared[status] ?? declared[`${String(status).charAt(0)}XX`] ?? declared['default'] ?? []
  if (facts.length === 0) return found as never
  let headers: object | undefined
  return Object.defineProperty(found, 'headers', {
    enumerable: true,
    get: () => (headers ??= read(response, facts)),
  }) as never
}

function read(response: Response, facts: readonly HeaderFacts[]): object {
  const fields = facts.map(([field, name, readText]) => {
    const text = response.headers.get(name)
    return [field, text === null ? undefined : readText(text, response.headers)] as const
  })
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

export function readHeader(text: string): string {
  return text
}

export function readNumber(text: string): number | undefined {
  const value = /^\s*$/.test(text) ? NaN : Number(text)
  return Number.isFinite(value) ? value : undefined
}

export function readBoolean(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined
}

/** Reads an array (`style: simple`). It is left out if an item is not as declared. */
export function readList(
  readItem: (text: string) => unknown,
): (text: string) => readonly unknown[] | undefined {
  return (text) => readItems(text === '' ? [] : text.split(','), readItem)
}

/** Reads an array of `Set-Cookie`, of which each line is an item (RFC 9110, section 5.3). */
export function readCookies(
  readItem: (text: string) => unknown,
): (text: string, headers: Headers) => readonly unknown[] | undefined {
  return (_text, headers) => readItems(headers.getSetCookie(), readItem)
}

function readItems(
  texts: readonly string[],
  readItem: (text: string) => unknown,
): readonly unknown[] | undefined {
  const items = texts.map((text) => readItem(text.trim()))
  return items.includes(undefined) ? undefined : items
}

export function readJsonHeader(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
