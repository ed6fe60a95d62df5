import type { StreamPart } from '../contract/handler.js'
import { clientGone, isClientGone } from '../contract/failures.js'
import { ticks } from '../platform/ticks.js'
import { timeLimit } from '../platform/time-limit.js'
import type { Client } from './client.js'
import { HttpError } from './http-error.js'

/** `made` is that of the last part, or 0. There is a `fault` when the work failed by itself. */
export type StreamEnd = { readonly made: number; readonly fault?: unknown }

export type AnswerStreamOptions = {
  readonly client: Client
  /**
   * Called once, after the last part and before the body ends. When it rejects, the body fails.
   * Not called for work that fails before its first bytes.
   */
  readonly onEnd: (end: StreamEnd) => Promise<void>
}

/** A client that takes longer for one piece has left. */
export const pieceMs = timeLimit(60_000)
const pieceBytes = 64 * 1024
/** A client that takes longer for all of it has left. A price stays held for longer than this. */
export const answerMs = 60 * 60_000

/**
 * Resolves to a body once its first bytes exist. Until then the work can fail with any status. The
 * work goes on when the client has read what there is, and in no case further.
 *
 * The work ends when the client disconnects or stops reading, and its later errors are ignored.
 * Once what was made is charged, the body fails: this ends the connection of a client that reads
 * nothing.
 * Rejects with `clientGone` when the client disconnects before the first bytes.
 */
export async function answerStream(
  work: AsyncIterable<StreamPart>,
  { client, onEnd }: AnswerStreamOptions,
): Promise<ReadableStream<Uint8Array>> {
  const { signal } = client
  let made = 0
  let end: Promise<void> | undefined
  const endOnce = (fault?: { readonly fault: unknown }) => (end ??= onEnd({ made, ...fault }))
  const pieces = splitParts(work, signal, (now) => (made = now))
  // frees the resources of the work even when the body is neither read nor cancelled
  const left = () => pieces.return(undefined).then(() => endOnce())
  signal.addEventListener('abort', () => void left().catch(() => undefined), { once: true })

  let first: IteratorResult<Uint8Array> | undefined = await pieces.next()
  if (signal.aborted) {
    await left()
    throw new HttpError(clientGone())
  }
  const watch = watchReader(client)
  watch.sent()
  return new ReadableStream(
    {
      // a client that stopped reading asks for nothing more
      start: (controller) => {
        const fail = () => controller.error(signal.reason)
        signal.addEventListener('abort', () => void left().then(fail, fail), { once: true })
      },
      pull: async (controller) => {
        watch.asked()
        try {
          const piece = first ?? (await pieces.next())
          first = undefined
          if (signal.aborted) {
            // a client that learns of the end may send the request again, so the charge comes first
            await left().catch(() => undefined)
            return controller.error(signal.reason)
          }
          if (piece.done !== true) {
            watch.sent()
            return controller.enqueue(piece.value)
          }
          await endOnce()
          controller.close()
        } catch (error) {
          await endOnce(isClientGone(error) ? undefined : { fault: error }).catch(() => undefined)
          controller.error(error)
        }
      },
      cancel: async () => {
        client.leave()
        await left().catch(() => undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Lets a client leave that takes too long. */
function watchReader(client: Client) {
  const until = ticks() + answerMs
  let timer: NodeJS.Timeout | undefined
  const asked = () => clearTimeout(timer)
  client.signal.addEventListener('abort', asked, { once: true })
  return {
    asked,
    sent: () => (timer = setTimeout(client.leave, Math.min(pieceMs, until - ticks())).unref()),
  }
}

/** Bytes in small pieces, so that each shows whether the client reads on. */
async function* splitParts(
  work: AsyncIterable<StreamPart>,
  signal: AbortSignal,
  onMade: (made: number) => void,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    for await (const { bytes, made } of work) {
      onMade(made)
      if (signal.aborted) return
      for (let at = 0; at < bytes.byteLength; at += pieceBytes)
        yield bytes.subarray(at, at + pieceBytes)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
