import type { RequestContext } from './request-context.js'

const exposedHeaders = [
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'X-PAYMENT-RESPONSE',
  'X-Balance-Remaining',
  'X-Request-Id',
  'X-Farebox-Backend',
  'Idempotent-Replayed',
  'Parse-Warnings',
  'Retry-After',
  'Date',
  'Allow',
  // of downloads
  'Accept-Ranges',
  'Content-Range',
  'Content-Length',
  'ETag',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
].join(', ')

const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'SIGN-IN-WITH-X',
  'X-Sign-In-With-X',
  'PAYMENT-SIGNATURE',
  'X-402-Payment',
  'X-PAYMENT',
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
    'access-control-expose-headers': exposedHeaders,
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
