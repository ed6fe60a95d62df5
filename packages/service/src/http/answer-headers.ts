import type { RequestContext } from './request-context.js'

const exposed = [
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

const taken = [
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

/** Headers of every response. Any page may read it, since credentials are never cookies. */
export function answerHeaders(
  { requestId, balanceRemaining, replayed, paid }: RequestContext,
  now: number,
): Readonly<Record<string, string>> {
  return {
    date: formatDate(now),
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposed,
    ...(replayed === true && { 'idempotent-replayed': 'true' }),
    ...paid?.headers,
    ...(balanceRemaining !== undefined && { 'x-balance-remaining': balanceRemaining }),
  }
}

let second = NaN
let date = ''

/** Formats the date once a second. */
function formatDate(now: number): string {
  const current = Math.floor(now / 1000)
  if (current !== second) date = new Date(now).toUTCString()
  second = current
  return date
}

export function preflightHeaders(methods: string): Readonly<Record<string, string>> {
  return {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': taken,
    'access-control-max-age': '86400',
  }
}
