import type { Client } from './client.js'
import { clientGone } from '../contract/failures.js'
import { HttpError } from './http-error.js'

/** What is told of a stream that fails after its first bytes, when no other answer can be given. */
export type AnswerStreamOptions = {
  readonly client: Client
  /** The work failed while the client was waiting for it. Called once, before the body fails. */
  readonly onFailure: (error: unknown) => Promise<void>
}

/**
 * A body, once its first bytes are there: until then the work may still fail like any other. The
 * work goes on as the client reads.
 *
 * A client that leaves ends the work. What the work does then is no failure: neither what it
 * throws, nor a part that comes too late. Rejects with `clientGone` when the client left before
 * anything was made; when it left later, there is a body, and it is over.
 */
export async function answerStream(
  work: AsyncIterable<Uint8Array>,
  { client, onFailure }: AnswerStreamOptions,
): Promise<ReadableStream<Uint8Array>> {
  const { signal } = client
  const parts = untilGone(work, signal)
  // frees what the work holds, also when the body is neither read nor cancelled
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
