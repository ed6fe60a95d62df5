import { httpDate } from './http-date.js'

/**
 * How far the server's clock is ahead of ours, in milliseconds, by the Date of a response that
 * arrived at `received` (RFC 9110, section 6.6.1). NaN without a Date, and for a cached response,
 * which carries an old one. Date counts whole seconds and arrives late: the server may be up to
 * about a second further ahead. The caller bounds the offset.
 */
export function clockOffset({ headers }: Response, received: number): number {
  return headers.has('age') ? NaN : httpDate(headers.get('date')) - received
}
