import type { ParameterFacts } from './call.js'
import { serializeParameter } from './serialize.js'
import { encodeStrictly, isJson, isRecord, toPlainString } from './text.js'

/**
 * Writes a whole query string (OpenAPI 3.2, `in: querystring`): a form of pairs, or one value in
 * its media type, escaped.
 */
export function writeQueryString(
  { mediaType = '' }: ParameterFacts,
  value: unknown,
): string | undefined {
  if (!/^application\/x-www-form-urlencoded\b/i.test(mediaType) || !isRecord(value))
    return encodeStrictly(isJson(mediaType) ? JSON.stringify(value) : toPlainString(value))
  const pairs = Object.entries(value)
    .map(([name, item]) =>
      serializeParameter(
        {
          name,
          in: 'query',
          style: 'form',
          explode: true,
          ...(isRecord(item) && { mediaType: 'application/json' }),
        },
        item,
      ),
    )
    .filter((pair) => pair !== undefined)
  return pairs.length === 0 ? undefined : pairs.join('&').replaceAll('%20', '+')
}
