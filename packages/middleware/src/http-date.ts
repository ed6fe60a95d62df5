/**
 * Parses a date in one of the three forms of RFC 9110, section 5.6.7, to milliseconds since 1970;
 * NaN for anything else. `Date.parse` alone would read numbers as years, and the third form as
 * local time.
 */
export function httpDate(value: string | null): number {
  const text = `${value}`
  return /^[A-Z]/.test(text) ? Date.parse(text.replace(/( GMT)?$/, ' GMT')) : NaN
}
