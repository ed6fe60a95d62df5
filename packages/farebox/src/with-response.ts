import { readRateLimits, type LimitState } from '@farebox/retry'

/** The data of a call, and what the service sent with it. */
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
  /** Whether this repeats an earlier response to the same Idempotency-Key: nothing was charged. */
  readonly replayed: boolean
  /** The rate limits of the operation, as far as the headers state them. */
  readonly limits: RateLimits
}

/** `resetAt` is in milliseconds since 1970, by our own clock. */
export type RateLimit = {
  readonly limit?: number
  readonly remaining?: number
  readonly resetAt?: number
}
export type RateLimits = { readonly requests: RateLimit; readonly tokens: RateLimit }

/** A call in progress: the promise of its data. */
export type FareboxCall<Data> = Promise<Data> & {
  /**
   * The data with the status, the headers, the balance and the limits. Sends no second request.
   *
   * @example
   * ```ts
   * const { data, limits } = await farebox.listModels().withResponse()
   * ```
   */
  readonly withResponse: () => Promise<WithResponse<Data>>
}

/** What a call reads from its response. */
export type CallResult<Data> = {
  readonly data: Data
  readonly body: unknown
  readonly response: Response
}

/** The promise of the data, with the method `withResponse`. */
export function toFareboxCall<Data>(promise: Promise<CallResult<Data>>): FareboxCall<Data> {
  const data = promise.then((result) => result.data)
  const withResponse = () => {
    // the caller awaits this promise instead of the data
    data.catch(() => undefined)
    return promise.then(describeResult)
  }
  return Object.assign(data, { withResponse })
}

function describeResult<Data>({ data, body, response }: CallResult<Data>): WithResponse<Data> {
  const { status, headers } = response
  const { requests, tokens } = readRateLimits(response)
  return {
    data,
    body,
    status,
    headers,
    requestId: headers.get('x-request-id') ?? undefined,
    balanceUsd: parseNumber(headers.get('x-balance-remaining')),
    replayed: headers.get('idempotent-replayed') === 'true',
    limits: { requests: toRateLimit(requests), tokens: toRateLimit(tokens) },
  }
}

function toRateLimit({ limit, left }: LimitState): RateLimit {
  return {
    ...(limit !== undefined && { limit }),
    ...(left && { remaining: left.remaining, resetAt: left.resetAt }),
  }
}

function parseNumber(text: string | null): number | undefined {
  const number = Number(text ?? NaN)
  return Number.isNaN(number) ? undefined : number
}
