import type { ItemStream } from '@farebox/client'
import type { OperationId } from '@farebox/types/operations'
import type { CallTracker } from './call-tracker.js'
import { errorFromThrown } from './to-error.js'

type Event = { readonly data?: unknown }

export type ItemHooks = {
  readonly operation: OperationId
  readonly tracker: CallTracker
  readonly signal: AbortSignal | undefined
  /** Rejects for an event that the contract does not describe. */
  readonly validate: (event: Event) => Promise<void> | undefined
}

/** Whether the client gave the events of a response, and not its body. */
export function isEvents(data: unknown): data is ItemStream<Event> {
  return typeof data === 'object' && data !== null && 'lastEventId' in data
}

/**
 * The data of each event as it arrives. A stream that breaks, and an event with an `error`, end it
 * with a `FareboxError`. Leaving the loop cancels the response.
 */
export function toItems(
  events: ItemStream<Event>,
  { operation, tracker, signal, validate }: ItemHooks,
): ItemStream<unknown> {
  const fail = async (error: unknown): Promise<never> => {
    await events.return()
    throw errorFromThrown(operation, error, signal, tracker.statistics)
  }
  const items: ItemStream<unknown> = {
    next: async () => {
      try {
        const { done, value } = await events.next()
        if (done === true) return { done, value: undefined }
        await validate(value)
        const { data } = value
        const fault = readFault(data)
        if (fault) throw fault
        return { done: false, value: data }
      } catch (error) {
        return fail(error)
      }
    },
    return: async () => {
      await events.return()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => items,
  }
  return items
}

/** The fault of the service in the middle of a stream. */
function readFault(data: unknown): Error | undefined {
  const { error } = Object(data) as { readonly error?: unknown }
  if (typeof error !== 'object' || error === null) return undefined
  const { message, code } = error as { readonly message?: unknown; readonly code?: unknown }
  const text = typeof message === 'string' ? message : 'The service failed in the middle.'
  return Object.assign(new Error(text), { code: typeof code === 'string' ? code : 'failed' })
}
