import { operations, type Operation, type OperationId } from '@farebox/types/operations'
import { idempotencyConflict, idempotencyInProgress } from '../contract/failures.js'
import type { Services } from '../contract/handler.js'
import type { KeyCaller, WalletCaller } from '../domain/accounts/authenticate.js'
import type { RequestKey } from '../domain/ledger/ledger-types.js'
import { formatUsd } from '../domain/ledger/money.js'
import { findLowestPrice } from '../domain/models/catalogue.js'
import type { Claim, KeyedRequest, KeyedRequests } from '../domain/replay/keyed-requests.js'
import { fingerprintInput, hashKey } from '../domain/replay/response-cipher.js'
import type { StoredResponse, ResponseHead } from '../domain/replay/stored-response.js'
import type { Input } from './read-input.js'
import { HttpError, type Reply } from './reply.js'
import type { Client, RequestContext } from './request-context.js'

/** One run of a request with an Idempotency-Key. No other request runs under the key meanwhile. */
export type KeyedRun = {
  readonly requestKey: RequestKey
  /** The work may be repeated although it was charged, since no response is stored. */
  readonly mayRepeat: boolean
}

export type Replay = {
  /** Whether a request used the Idempotency-Key before. */
  readonly isRepeat: () => Promise<boolean>
  /**
   * Does the work and stores its response, or returns the response that is stored. Rejects with 409
   * while another request is at work, and for a request with another body.
   */
  readonly once: (input: Input, work: (run: KeyedRun) => Promise<Reply>) => Promise<Reply>
}

type ReplayOptions = {
  readonly ledger: Services['ledger']
  readonly catalogue: Services['catalogue']
  readonly requests: KeyedRequests
  /** Called if a response could not be stored. It is sent anyway. */
  readonly onError: (
    error: unknown,
    context: { readonly requestId: string; readonly operation: OperationId },
  ) => void
}

/** Runs of an operation without retention under one key: the first, and two for a lost response. */
const maxRuns = 3

/** Returns the same response to all requests with one Idempotency-Key, in every operation. */
export function createReplay({ ledger, catalogue, requests, onError }: ReplayOptions) {
  return (
    id: OperationId,
    key: string,
    requestContext: RequestContext,
    caller: WalletCaller | KeyCaller,
    client: Client,
  ): Replay => {
    const operation: Operation = operations[id]
    const { requestId } = requestContext
    const { account } = caller
    const keyed: KeyedRequest = { account, operation: id, key }
    const report = (error: unknown) => onError(error, { requestId, operation: id })

    const replayResponse = async (response: StoredResponse): Promise<Reply> => {
      requestContext.replayed = true
      if (caller.kind === 'wallet' && findLowestPrice(catalogue, id) !== undefined) {
        requestContext.balanceRemaining = formatUsd(await ledger.balance(account))
      }
      const { body } = response
      return body instanceof ReadableStream
        ? { ...response, body: reportFailure(body, report) }
        : response
    }

    /** A run counts when it may have given its client something. */
    const endFailed = (claim: Claim) => {
      if (operation.noRetention !== true) return claim.forget()
      return client.signal.aborted ? claim.rest() : claim.giveBack()
    }

    const endDone = async (claim: Claim, reply: Reply): Promise<Reply> => {
      if (operation.noRetention !== true && operation.secretResponse !== true)
        return storeWhileSent(reply, claim, client, report)
      // the work is done and paid, so its response is sent even if the key is lost
      await (operation.noRetention === true ? claim.rest() : claim.forget()).catch(report)
      return reply
    }

    return {
      isRepeat: async () =>
        (await requests.isKnown(keyed)) ||
        (await ledger.findCharge({ ...keyed, key: hashKey(key) })) !== undefined,

      once: async (input, work) => {
        const requestKey = { key: hashKey(key), fingerprint: fingerprintInput(input) }
        const claimed = await requests.claim(keyed, {
          requestId,
          fingerprint: requestKey.fingerprint,
        })
        if (claimed.status === 'other request') throw new HttpError(idempotencyConflict())
        if (claimed.status === 'running') throw new HttpError(idempotencyInProgress())
        if (claimed.status === 'stored') return replayResponse(claimed.response)
        const { claim } = claimed
        const mayRepeat = operation.noRetention === true && claim.run > 1 && claim.run <= maxRuns
        let reply: Reply
        try {
          reply = await work({ requestKey, mayRepeat })
        } catch (error) {
          await endFailed(claim).catch(report)
          throw error
        }
        return endDone(claim, reply)
      },
    }
  }
}

/**
 * Stores a reply while it is sent. A reply that fails, or whose client leaves before the end, is
 * not stored. A reply that cannot be stored is sent anyway.
 */
export async function storeWhileSent(
  reply: Reply,
  claim: Claim,
  client: Client,
  onError: (error: unknown) => void,
): Promise<Reply> {
  const { status, headers, body } = reply
  if (body instanceof ReadableStream)
    return { ...reply, body: recordStream({ ...reply, body }, claim, client, onError) }
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

function recordStream(
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

/** Reports an error of the body, which then still fails. */
function reportFailure(
  body: ReadableStream<Uint8Array>,
  report: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream(
    {
      pull: async (controller) => {
        try {
          const part = await reader.read()
          if (part.done) controller.close()
          else controller.enqueue(part.value)
        } catch (error) {
          report(error)
          throw error
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
