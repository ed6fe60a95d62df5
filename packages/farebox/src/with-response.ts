import { rateLimitsOf, type LimitState } from '@farebox/retry'

/** The data of a call, and what the service said beside it. */
export type WithResponse<Data> = {
  readonly data: Data
  /** The whole body, with its envelope if it has one. */
  readonly body: unknown
  readonly status: number
  readonly headers: Headers
  /** `x-request-id`: quote it to the operator of the service. */
  readonly requestId: string | undefined
  /** The spendable balance after the call, in USD, if the service states it. */
  readonly balanceUsd: number | undefined
  /** Whether an earlier response to the same Idempotency-Key came again: nothing was charged. */
  readonly replayed: boolean
  /** The rate limits of the operation, as far as the headers state them. */
  readonly limits: RateLimits
}

/** `resetAt` is in milliseconds since 1970, by our own clock. */
export type RateLimit = { readonly limit?: number; readonly remaining?: number; readonly resetAt?: number }
export type RateLimits = { readonly requests: RateLimit; readonly tokens: RateLimit }

/** A call under way: the promise of its data. */
export type FareboxCall<Data> = Promise<Data> & {
  /** The data with the status, the headers, the balance and the limits. Sends nothing again. */
  readonly withResponse: () => Promise<WithResponse<Data>>
}

/** What a call makes of its response. */
export type Answered<Data> = { readonly data: Data; readonly body: unknown; readonly response: Response }

/** The promise of the data, with a way to the rest. */
export function callOf<Data>(answered: Promise<Answered<Data>>): FareboxCall<Data> {
  const data = answered.then((answer) => answer.data)
  const withResponse = () => {
    // a caller that asks for the whole does not await the data alone
    data.catch(() => undefined)
    return answered.then(detailed)
  }
  return Object.assign(data, { withResponse })
}

function detailed<Data>({ data, body, response }: Answered<Data>): WithResponse<Data> {
  const { status, headers } = response
  const { requests, tokens } = rateLimitsOf(response)
  return {
    data,
    body,
    status,
    headers,
    requestId: headers.get('x-request-id') ?? undefined,
    balanceUsd: figure(headers.get('x-balance-remaining')),
    replayed: headers.get('idempotent-replayed') === 'true',
    limits: { requests: limitOf(requests), tokens: limitOf(tokens) },
  }
}

function limitOf({ limit, left }: LimitState): RateLimit {
  return { ...(limit !== undefined && { limit }), ...(left && { remaining: left.remaining, resetAt: left.resetAt }) }
}

function figure(text: string | null): number | undefined {
  const number = Number(text ?? NaN)
  return Number.isNaN(number) ? undefined : number
}
