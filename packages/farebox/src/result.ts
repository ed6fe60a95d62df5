import { save } from '#file-system'
import type { ItemStream } from '@farebox/client'
import { UnexpectedResponseError } from '@farebox/client/operations/shared'
import { readRateLimits, type LimitState } from '@farebox/retry'
import type { OperationId } from '@farebox/types/operations'
import { FareboxError } from './error.js'
import { errorFromThrown, readCodeAndMessage, type CallStatistics } from './to-error.js'

/** A response of bytes, such as audio or video. */
export type Media = Response & {
  /**
   * Writes the body to a file as it arrives (Node, Bun, Deno). An existing file is replaced once
   * the body is complete; a body that breaks off leaves no file.
   *
   * @example
   * ```ts
   * const speech = await farebox.createSpeech({ input: 'Hello' })
   * await speech.saveTo('hello.mp3')
   * ```
   */
  readonly saveTo: (path: string) => Promise<void>
}

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
  const number = Number(text || NaN)
  return Number.isNaN(number) ? undefined : number
}

/** Adds `saveTo` to a response. */
export function toMedia(response: Response): Media {
  const saveTo = async (path: string) =>
    save(response, path).catch((cause: unknown) => {
      if (cause instanceof FareboxError) throw cause
      const why = cause instanceof Error ? cause.message : 'the file cannot be written.'
      // the service has done its work, and may have charged for it
      throw new FareboxError(`saveTo ${JSON.stringify(path)}: ${why}`, {
        code: 'not_saved',
        mayHaveArrived: true,
        cause,
      })
    })
  return Object.assign(response, { saveTo })
}

type Event = { readonly data?: unknown }

type ItemHooks = {
  readonly operation: OperationId
  readonly response: Response
  readonly statistics: () => CallStatistics
  readonly signal: AbortSignal | undefined
  /** Rejects for an event that the contract does not describe. */
  readonly validate: (event: Event) => Promise<void> | undefined
}

/**
 * The data of each event as it arrives. A stream that breaks or ends within a choice, and an event
 * with an `error`, end it with a `FareboxError`. Leaving the loop cancels the response.
 */
export function toItems(
  events: ItemStream<Event>,
  { operation, response, statistics, signal, validate }: ItemHooks,
): ItemStream<unknown> {
  const unfinished = new Set<unknown>()
  const stop = async () => {
    unfinished.clear()
    await events.return()
  }
  const fail = async (error: unknown): Promise<never> => {
    await stop()
    throw errorFromThrown(operation, error, signal, statistics())
  }
  const items: ItemStream<unknown> = {
    next: async () => {
      try {
        const { done, value } = await events.next()
        if (done === true) {
          if (unfinished.size === 0) return { done, value: undefined }
          // a proxy may end the response of a service that was lost as if it were whole
          throw new UnexpectedResponseError(
            { id: operation },
            'incomplete_body',
            response,
            'ended before the completion was finished',
          )
        }
        const { data } = value
        // first, since the contract has no event without its other fields
        const fault = readFault(data)
        if (fault) throw fault
        await validate(value)
        for (const { index, finish_reason: reason } of readChoices(data))
          if (typeof reason === 'string') unfinished.delete(index)
          else unfinished.add(index)
        return { done: false, value: data }
      } catch (error) {
        return fail(error)
      }
    },
    return: async () => {
      await stop()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => items,
  }
  return items
}

type ChoiceState = { readonly index?: unknown; readonly finish_reason?: unknown }

/** The choices that a chunk is about. Without validation, a chunk may be anything. */
function readChoices(data: unknown): readonly ChoiceState[] {
  const { choices } = Object(data) as { readonly choices?: unknown }
  return [choices ?? []].flat().map((choice) => Object(choice) as ChoiceState)
}

/** The fault of the service in the middle of a stream, in any shape of its other failures. */
function readFault(data: unknown): Error | undefined {
  const { error } = Object(data) as { readonly error?: unknown }
  if (!error) return undefined
  const { message = 'The service failed during the stream.', code = 'failed' } =
    readCodeAndMessage(data)
  return Object.assign(new Error(message), { code })
}
