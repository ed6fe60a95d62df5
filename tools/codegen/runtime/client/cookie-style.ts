import type { ParameterFacts } from './call.js'
import { InvalidInputError } from './invalid-input-error.js'
import { isRecord, toPlainString } from './text.js'

/**
 * Writes a cookie as it is (OpenAPI 3.2, `style: cookie`): nothing is escaped. A value that would
 * end its cookie is rejected.
 */
export function writeCookie(
  { name, explode = true }: ParameterFacts,
  value: unknown,
): string | undefined {
  if (!Array.isArray(value) && !isRecord(value)) return formatPair(name, toPlainString(value))
  const entries = Object.entries(value).filter(([, item]) => item !== undefined && item !== null)
  if (entries.length === 0) return undefined
  if (explode)
    return entries
      .map(([key, item]) => formatPair(Array.isArray(value) ? name : key, toPlainString(item)))
      .join('; ')
  return formatPair(
    name,
    entries
      .flatMap(([key, item]) =>
        Array.isArray(value) ? [toPlainString(item)] : [key, toPlainString(item)],
      )
      .join(','),
  )
}

function formatPair(name: string, value: string): string {
  const text = `${name}=${value}`
  if (!/[;\p{Cc}]/u.test(text)) return text
  throw new InvalidInputError(
    `The cookie "${name}" has a semicolon or a control character, which its style does not escape. Escape it first.`,
  )
}
