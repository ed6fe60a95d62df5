const pattern =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/**
 * Milliseconds since 1970 of an RFC 3339 date-time; undefined for any other string. `Date.parse`
 * accepts other formats, and turns 31 April into 1 May.
 */
export function parseRfc3339(text: string): number | undefined {
  const match = pattern.exec(text)
  if (!match) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map(Number)
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)]
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59)
    return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  date.setUTCHours(hour, minute, second, Math.floor(Number(match[7] ?? 0) * 1000))
  const offset = (offsetHour * 60 + offsetMinute) * 60_000
  return date.getTime() - (match[8] === '-' ? -offset : offset)
}
