import type { RequestContext } from './request-context.js'

const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'SIGN-IN-WITH-X',
  'X-Sign-In-With-X',
  'PAYMENT-SIGNATURE',
  'X-402-Payment',
  'X-PAYMENT',
  'Payment-Authorization',
  // headers of other clients; the star does not include Authorization
  '*',
].join(', ')

/** The Date of this second, which all its responses share. */
let formatted = { second: NaN, date: '' }

/** Headers of every response. Any page may read it, since credentials are never cookies. */
export function commonHeaders(
  { requestId, balanceRemaining, replayed, paid }: RequestContext,
  now: number,
): Readonly<Record<string, string>> {
  const second = Math.floor(now / 1000)
  if (second !== formatted.second) formatted = { second, date: new Date(now).toUTCString() }
  return {
    date: formatted.date,
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
    // all of them: a request with cookies, which the star leaves out, is not allowed anyway
    'access-control-expose-headers': '*',
    ...(replayed === true && { 'idempotent-replayed': 'true' }),
    ...paid?.headers,
    ...(balanceRemaining !== undefined && { 'x-balance-remaining': balanceRemaining }),
  }
}

export function preflightHeaders(methods: string): Readonly<Record<string, string>> {
  return {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': allowedHeaders,
    'access-control-max-age': '86400',
  }
}
