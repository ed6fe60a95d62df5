import type { Client } from './client.js'
import { clientGone } from '../contract/failures.js'
import { HttpError } from './http-error.js'

export type AnswerStreamOptions = {
  readonly client: Client
  /** Called once when the work fails before the client disconnects, and before the body fails. */
  readonly onFailure: (error: unknown) => Promise<void>
}

/**
 * Resolves to a body once its first bytes exist. Until then the work can fail with any status. The
 * work continues as the client reads.
 *
 * The work ends when the client disconnects, and its later errors and parts are ignored. Rejects
 * with `clientGone` when the client disconnects before the first part.
 */
export async function answerStream(
  work: AsyncIterable<Uint8Array>,
  { client, onFailure }: AnswerStreamOptions,
): Promise<ReadableStream<Uint8Array>> {
  const { signal } = client
  const parts = untilGone(work, signal)
  // frees the resources of the work even when the body is neither read nor cancelled
  signal.addEventListener('abort', () => void parts.return(undefined), { once: true })
  let isMade = false
  const nextBytes = async () => {
    for (;;) {
      const part = await parts.next()
      if (part.done !== true) isMade = true
      if (part.done === true || part.value.byteLength > 0) return part
    }
  }

  let first: IteratorResult<Uint8Array> | undefined = await nextBytes()
  if (signal.aborted && !isMade) throw new HttpError(clientGone())
  let isCancelled = false
  return new ReadableStream(
    {
      pull: async (controller) => {
        try {
          const part = first ?? (await nextBytes())
          first = undefined
          if (isCancelled) return
          if (signal.aborted) controller.error(signal.reason)
          else if (part.done === true) controller.close()
          else controller.enqueue(part.value)
        } catch (error) {
          await onFailure(error)
          controller.error(error)
        }
      },
      cancel: () => {
        isCancelled = true
        client.leave()
      },
    },
    { highWaterMark: 0 },
  )
}

async function* untilGone(work: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* work
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
