import { mediaKind } from '@farebox/codegen/model'

/**
 * A media type in one spelling. Types, names of parameters and charsets are case-insensitive (RFC
 * 9110, section 8.3); JSON has no charset (RFC 8259, section 11), and that of text is UTF-8.
 */
export function toMediaKey(mediaType: string): string {
  const [type = '', ...parameters] = splitParameters(mediaType)
  const essence = type.trim().toLowerCase()
  const kept = parameters.flatMap((parameter) => {
    const at = parameter.indexOf('=')
    if (at === -1) return []
    const name = parameter.slice(0, at).trim().toLowerCase()
    const value = parameter
      .slice(at + 1)
      .trim()
      .replace(/^"((?:[^"\\]|\\.)*)"$/s, '$1')
    if (name !== 'charset') return [`${name}=${value}`]
    const charset = value.toLowerCase()
    return mediaKind(essence) === 'json' || /^utf-?8$/.test(charset) ? [] : [`charset=${charset}`]
  })
  return [essence, ...kept.toSorted()].join(';')
}

/** Splits at semicolons outside of quotes. */
function splitParameters(mediaType: string): readonly string[] {
  return mediaType.match(/(?:"(?:[^"\\]|\\.)*"|[^;"])+/g) ?? []
}
