/**
 * A time in one of the three forms of RFC 9110, section 5.6.7, in milliseconds since 1970; NaN for what is none. `Date.parse` alone would
 * take numbers as years, and the third form as local time.
 */
export function httpDate(value: string | null): number {
  const text = value ?? ''
  return /^[A-Z]/.test(text) ? Date.parse(text.replace(/( GMT)?$/, ' GMT')) : NaN
}
