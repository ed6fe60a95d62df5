import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '@farebox/faults/callers'
import type { Plan } from './script.js'
import type { MockUpstream } from './upstream.js'

export const model = 'bench-chat'

/**
 * How a call ended for its client: with a whole completion, with an error of the service or of the
 * upstream, rejected because of its balance or limit, left by the client itself, or cut off.
 */
export type Outcome = 'whole' | 'failed' | 'rejected' | 'left' | 'cut'

/** What a client saw of one call. */
export type Call = {
  readonly plan: Plan
  readonly prompt: string
  readonly origin: string
  readonly outcome: Outcome
  /** 0 without a response. */
  readonly status: number
  /** Of the response, if it had begun. */
  readonly requestId: string | undefined
  /** Tokens that it received. */
  readonly received: number
  /** The code of a broken connection, or the body of an error. */
  readonly error: string
  /** Milliseconds of `performance.now`. */
  readonly start: number
  readonly end: number
}

/** How long an upstream has waited when a client leaves that sees nothing before the end. */
const settledMs = 2_000

/** Sends a call. Undefined if no service listens there, or one that is still starting. */
export async function sendCall(
  origin: string,
  plan: Plan,
  caller: Caller,
  upstream: MockUpstream,
): Promise<Call | undefined> {
  const { script, isStreamed, leaving, maxTokens } = plan
  const prompt = JSON.stringify(script)
  const body = JSON.stringify({
    model,
    messages: [{ role: 'user', content: prompt }],
    stream: isStreamed,
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
  })
  const headers = {
    ...(await caller.headers()),
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  }
  const start = performance.now()
  return new Promise((resolve) => {
    const seen = { status: 0, text: '', requestId: undefined as string | undefined, code: '' }
    let isOver = false
    /** Tokens with which the client leaves. */
    let enough = leaving && 'afterTokens' in leaving ? leaving.afterTokens : Infinity
    const sent: ClientRequest = request(`${origin}/api/v1/chat/completions`, {
      method: 'POST',
      agent: false,
      headers,
    })
    const end = (outcome: Outcome) => {
      if (isOver) return
      isOver = true
      sent.destroy()
      const received = countReceived(seen.text)
      const { status, requestId } = seen
      const error = seen.code || (status === 200 ? '' : seen.text.slice(0, 200))
      const what = { plan, prompt, origin, outcome, status, requestId, received, error }
      resolve({ ...what, start, end: performance.now() })
    }
    sent.on('error', (error: NodeJS.ErrnoException) => {
      seen.code = error.code ?? error.message
      if (error.code !== 'ECONNREFUSED') return end('cut')
      isOver = true
      resolve(undefined)
    })
    sent.once('response', (response: IncomingMessage) => {
      seen.status = response.statusCode ?? 0
      seen.requestId = response.headers['x-request-id'] as string | undefined
      if (seen.status === 503 && seen.requestId === undefined) {
        isOver = true
        sent.destroy()
        return resolve(undefined)
      }
      response.on('data', (chunk: Buffer) => {
        seen.text += chunk.toString()
        if (countReceived(seen.text) >= enough) end('left')
      })
      response.on('error', () => end('cut'))
      response.once('end', () => end(readOutcome(seen.status, seen.text, isStreamed)))
    })
    sent.end(body)
    if (leaving && 'afterMs' in leaving) void sleep(leaving.afterMs).then(() => end('left'))
    if (leaving && 'onStall' in leaving)
      void upstream.stalled(script.id).then(async (written) => {
        enough = written
        if (!isStreamed) await sleep(settledMs)
        if (!isStreamed || countReceived(seen.text) >= enough) end('left')
      })
  })
}

function countReceived(text: string): number {
  return text.split('"content":" the"').length - 1
}

function readOutcome(status: number, text: string, isStreamed: boolean): Outcome {
  if (status === 402 || status === 429) return 'rejected'
  if (status !== 200) return 'failed'
  if (!isStreamed) return 'whole'
  return text.endsWith('data: [DONE]\n\n') ? 'whole' : 'failed'
}
