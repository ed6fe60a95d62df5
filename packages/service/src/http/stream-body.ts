import { clientGone, isClientGone } from '../contract/failures.js'
import { joinBytes } from '../platform/bounded-body.js'
import { LateError, ticks, timeLimit, withTimeout } from '../platform/time.js'
import type { Client } from './request-context.js'
import { HttpError } from './reply.js'

/** `fault` is set if the work itself failed. `isWhole`: the client received everything. */
export type StreamEnd = { readonly isWhole: boolean; readonly fault?: unknown }

type StreamBodyOptions = {
  readonly client: Client
  /**
   * Called once, after the last part and before the body ends. When it rejects, the body fails.
   * Not called for work that fails before its first bytes, nor for a gathered body.
   */
  readonly onEnd: (end: StreamEnd) => Promise<void>
  /** Whether a body that is short and soon complete is gathered. */
  readonly inOnePiece?: boolean
  /** Sent in place of the rest of failed work. The body then ends normally. */
  readonly closingEvent?: ((fault: unknown) => Uint8Array) | undefined
}

/** A client that takes longer for one piece has left. */
export const pieceMs = timeLimit(60_000)
const pieceBytes = 64 * 1024
/** A body that is not complete this long after its first bytes is streamed. */
export const gatherMs = 1_000
/** A client that takes longer for all of it has left. A price stays held for longer than this. */
export const responseMs = 60 * 60_000

/**
 * Resolves to a body once its first bytes exist, or to all of its bytes if they were gathered.
 * Until then the work can fail with any status. The work of a stream continues only after the client
 * has read what exists.
 *
 * The work ends when the client disconnects or stops reading, and later errors are ignored. After
 * the charge the body fails, which closes the connection of a client that reads nothing. Rejects
 * with `clientGone` when the client disconnects before the first bytes.
 */
export async function streamBody(
  work: AsyncIterable<Uint8Array>,
  { client, onEnd, inOnePiece = false, closingEvent }: StreamBodyOptions,
): Promise<ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>> {
  const { signal } = client
  let end: Promise<void> | undefined
  const endOnce = (how: Omit<StreamEnd, 'isWhole'> = {}, isWhole = false) =>
    (end ??= onEnd({ isWhole, ...how }))
  const pieces = splitParts(work, signal)
  // frees the resources of the work even when the body is neither read nor cancelled
  const endEarly = () => pieces.return(undefined).then(() => endOnce())
  signal.addEventListener('abort', () => void endEarly().catch(() => undefined), { once: true })

  const readNext = async () => {
    const piece = await pieces.next()
    if (!signal.aborted) return piece
    await endEarly()
    throw new HttpError(clientGone())
  }
  const first = await readNext()
  const ready = [Promise.resolve(first)]
  if (inOnePiece) {
    const until = ticks() + gatherMs
    const gathered: Uint8Array[] = []
    let piece: IteratorResult<Uint8Array> | undefined = first
    for (let bytes = 0; piece !== undefined && bytes < pieceBytes;) {
      if (piece.done === true) {
        end = Promise.resolve()
        return joinBytes(gathered)
      }
      gathered.push(piece.value)
      bytes += piece.value.byteLength
      const next = readNext()
      ready.push(next)
      piece = await withTimeout(until - ticks(), () => next).catch(ignoreLateError)
    }
  }
  const watch = watchReader(client)
  let isEnding = false
  watch.sent()
  return new ReadableStream(
    {
      // a client that stopped reading never pulls again
      start: (controller) => {
        const fail = () => controller.error(signal.reason)
        signal.addEventListener('abort', () => void endEarly().then(fail, fail), { once: true })
      },
      pull: async (controller) => {
        watch.pulled()
        try {
          const piece = await (ready.shift() ?? pieces.next())
          if (signal.aborted) {
            // charge first: a client that sees the end may repeat the request
            await endEarly().catch(() => undefined)
            return controller.error(signal.reason)
          }
          if (piece.done !== true) {
            watch.sent()
            return controller.enqueue(piece.value)
          }
          isEnding = true
          await endOnce({}, true)
          controller.close()
        } catch (error) {
          const isFault = !isClientGone(error)
          await endOnce(isFault ? { fault: error } : undefined).catch(() => undefined)
          if (!isFault || !closingEvent || isEnding) return controller.error(error)
          controller.enqueue(closingEvent(error))
          controller.close()
        }
      },
      cancel: async () => {
        client.leave()
        await endEarly().catch(() => undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

function ignoreLateError(error: unknown): undefined {
  if (!(error instanceof LateError)) throw error
}

/** Disconnects a client that takes too long. */
function watchReader(client: Client) {
  const until = ticks() + responseMs
  let timer: NodeJS.Timeout | undefined
  const pulled = () => clearTimeout(timer)
  client.signal.addEventListener('abort', pulled, { once: true })
  return {
    pulled,
    sent: () => (timer = setTimeout(client.leave, Math.min(pieceMs, until - ticks())).unref()),
  }
}

/** Small pieces, each of which shows whether the client is still reading. */
async function* splitParts(
  work: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    for await (const bytes of work) {
      if (signal.aborted) return
      for (let at = 0; at < bytes.byteLength; at += pieceBytes)
        yield bytes.subarray(at, at + pieceBytes)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/**
 * Closes the connection when the body fails, so that its reader gets no error. The source of the
 * body has already reported it.
 */
export function closeOnFailure(
  body: ReadableStream<Uint8Array>,
  breakOff: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream(
    {
      start: (controller) => {
        // a body also fails without a reader
        reader.closed.catch(() => {
          breakOff()
          controller.close()
        })
      },
      pull: async (controller) => {
        const part = await reader.read().catch(() => undefined)
        if (part?.done === false) controller.enqueue(part.value)
        else if (part) controller.close()
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
