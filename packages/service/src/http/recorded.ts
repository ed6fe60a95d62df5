import type { Claim } from '../domain/replay/keyed-requests.js'
import type { ResponseHead } from '../domain/replay/read-response.js'
import type { Client } from './client.js'
import type { Reply } from './reply.js'

/**
 * A reply that is stored while it is sent. What breaks off, or is left by its client before the
 * end, is not stored. A reply that could not be stored is sent all the same.
 */
export async function recorded(
  reply: Reply,
  claim: Claim,
  client: Client,
  onError: (error: unknown) => void,
): Promise<Reply> {
  const { status, headers, body } = reply
  if (body instanceof ReadableStream)
    return { ...reply, body: recordedStream({ ...reply, body }, claim, client, onError) }
  const writer = claim.store()
  try {
    if (body !== null) await writer.write(typeof body === 'string' ? Buffer.from(body) : body)
    await writer.end({ status, headers })
  } catch (error) {
    onError(error)
    await claim.forget().catch(onError)
  }
  return reply
}

function recordedStream(
  { body, status, headers, isBroken }: Reply & { readonly body: ReadableStream<Uint8Array> },
  claim: Claim,
  client: Client,
  onError: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const head: ResponseHead = { status, headers }
  const reader = body.getReader()
  const writer = claim.store()
  let isRecording = true
  let isClaimed = true
  let hasLeft = false
  const record = async (step: () => Promise<void>) => {
    if (!isRecording) return
    try {
      await step()
    } catch (error) {
      isRecording = false
      onError(error)
    }
  }
  const stop = async () => {
    isRecording = false
    if (!isClaimed) return
    isClaimed = false
    await claim.forget().catch(onError)
  }
  // the key is free once the work has ended, with its charge
  const leave = async (reason: unknown) => {
    if (hasLeft) return
    hasLeft = true
    await reader.cancel(reason).catch(() => undefined)
    await stop()
  }
  return new ReadableStream(
    {
      start: (controller) => {
        const { signal } = client
        signal.addEventListener(
          'abort',
          () => void leave(signal.reason).then(() => controller.error(signal.reason)),
          { once: true },
        )
      },
      pull: async (controller) => {
        let part
        try {
          part = await reader.read()
        } catch (error) {
          await stop()
          throw error
        }
        // the end of a body that was cancelled is not the end of its response
        if (hasLeft) return controller.error(client.signal.reason)
        if (part.done) {
          if (isBroken?.() !== true) await record(() => writer.end(head))
          else isRecording = false
          if (isRecording) isClaimed = false
          await stop()
          controller.close()
        } else {
          const { value } = part
          await record(() => writer.write(value))
          controller.enqueue(value)
        }
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  )
}
