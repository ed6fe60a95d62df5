import { InvalidInputError, UnexpectedResponseError } from '@farebox/client/operations/shared'
import { type Send, untilAborted } from '@farebox/middleware'
import type { OperationId } from '@farebox/types/operations'
import { type CallStatistics, countSends, nothingSent } from './attempt.js'
import { checkCallOptions } from './check-options.js'
import { FareboxError } from './error.js'
import type { FareboxCallOptions } from './methods.js'
import { ownTimeout } from './timeout.js'
import { fromThrown } from './to-error.js'

/** Makes the send of a call with its own options. A promise if its code has to be loaded first. */
export type SendOf = (options: FareboxCallOptions) => Send | Promise<Send>

/**
 * Runs one call: counts its requests, and turns every failure into a `FareboxError`. What fails
 * before the first request is a mistake of the input, such as a cycle, a bigint or a getter that
 * throws: `invalid_input`.
 */
export async function runCall<Result>(
  operation: OperationId | undefined,
  options: FareboxCallOptions,
  sendOf: SendOf,
  work: (send: Send, statistics: () => CallStatistics) => Promise<Result>,
): Promise<Result> {
  let statistics = () => nothingSent
  let begun = false
  try {
    checkCallOptions(options)
    const own = sendOf(options)
    const whole = own instanceof Promise ? await untilAborted(own, options.signal) : own
    const { send, now } = countSends(whole, ownTimeout(options.timeoutMs))
    statistics = now
    return await work((call) => {
      begun = true
      return send(call)
    }, now)
  } catch (error) {
    const known = begun || error instanceof FareboxError || error instanceof InvalidInputError
    throw fromThrown(operation, known ? error : unsendable(error), options.signal, statistics(), await undeclaredBody(error))
  }
}

function unsendable(cause: unknown): InvalidInputError {
  const why = cause instanceof Error ? cause.message : 'a value cannot be read.'
  return new InvalidInputError(`the call cannot be sent: ${why}`, { cause })
}

/**
 * The body of a response that the contract does not declare, if it may be shown: `excerpt` says so.
 */
async function undeclaredBody(error: unknown): Promise<unknown> {
  if (!(error instanceof UnexpectedResponseError) || error.excerpt === '' || error.response.bodyUsed) return undefined
  return parsed(await error.response.text())
}

/** A text as JSON if it is that, else the text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
