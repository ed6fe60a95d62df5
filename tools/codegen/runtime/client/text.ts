/** Escapes a string for a URL. A lone surrogate becomes U+FFFD, as in the URL standard. */
export function encodeStrictly(value: string): string {
  return encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** A value as text: scalars unchanged, dates by RFC 3339, lists and records as JSON. */
export function toPlainString(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** Whether a value has named fields. A Date is one value. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  )
}

/** Whether a media type is JSON, including structured suffixes (RFC 6839). */
export function isJson(mediaType: string): boolean {
  return /^(?:[^;]*[/+])?json\s*(?:;|$)/i.test(mediaType)
}

/** What is between the items of an array that is one part of a form. Undefined: each is a part. */
export function findDelimiter({
  style = 'form',
  explode = style === 'form',
}: {
  readonly style?: string
  readonly explode?: boolean
}): string | undefined {
  if (explode) return undefined
  return { form: ',', spaceDelimited: ' ', pipeDelimited: '|' }[style]
}

/** The type of JSON within a range of media types. */
export function toJsonType(range: string): string {
  const [family = ''] = range.split('/')
  return `${family.includes('*') ? 'application' : family.trim()}/json`
}
