import { InvalidInputError, UnexpectedResponseError } from '@farebox/client/operations/shared'
import { untilAborted, type Send } from '@farebox/middleware'
import type { OperationId } from '@farebox/types/operations'
import { CallTracker } from './call-tracker.js'
import type { SendFor } from './chain.js'
import { checkCallOptions } from './check-options.js'
import { FareboxError } from './error.js'
import type { FareboxCallOptions } from './methods.js'
import { errorFromBody, errorFromThrown } from './to-error.js'

/**
 * Runs one call: checks its options, counts its requests, and turns every failure into a
 * `FareboxError`. A failure before the first request, such as a cycle, a bigint or a getter that
 * throws, is the fault of the input: `invalid_input`.
 */
export async function runCall<Result>(
  operation: OperationId | undefined,
  options: FareboxCallOptions,
  sendFor: SendFor,
  work: (send: Send, tracker: CallTracker) => Promise<Result>,
): Promise<Result> {
  const { signal, timeoutMs } = options
  const tracker: CallTracker = new CallTracker(timeoutMs, (...broken) =>
    errorFromBody(operation, ...broken, signal, tracker.statistics),
  )
  try {
    checkCallOptions(options)
    const chain = sendFor(options)
    const send = chain instanceof Promise ? await untilAborted(chain, signal) : chain
    return await work(tracker.attach(send), tracker)
  } catch (error) {
    const isKnown =
      tracker.isStarted || error instanceof FareboxError || error instanceof InvalidInputError
    throw errorFromThrown(
      operation,
      isKnown ? error : toInputError(error),
      signal,
      tracker.statistics,
      await undeclaredBody(error),
    )
  }
}

function toInputError(cause: unknown): InvalidInputError {
  const why = cause instanceof Error ? cause.message : 'a value cannot be read.'
  return new InvalidInputError(`the call cannot be sent: ${why}`, { cause })
}

/** The body of an undeclared response. An empty `excerpt` means that it may hold a secret. */
async function undeclaredBody(error: unknown): Promise<unknown> {
  if (
    !(error instanceof UnexpectedResponseError) ||
    error.excerpt === '' ||
    error.response.bodyUsed
  )
    return undefined
  return parseJson(await error.response.text())
}

/** Parses JSON. Returns any other text unchanged. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
