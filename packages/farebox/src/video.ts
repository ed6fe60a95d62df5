import type { Data, Methods } from './methods.js'
import { FareboxError } from './error.js'

export type VideoOptions = {
  readonly signal?: AbortSignal
  /** Milliseconds between two questions about the state. Default 5,000. */
  readonly pollMs?: number
  /** Milliseconds after which the wait ends with an error that names the queue id. Default 30 minutes. */
  readonly deadlineMs?: number
  /** Told after each question, with the service's own figures in milliseconds. */
  readonly onProgress?: (progress: VideoProgress) => void
}

export type VideoProgress = { readonly queueId: string; readonly status: string; readonly averageMs?: number; readonly elapsedMs?: number }

/** A queued video, for picking a wait up again: what `queueVideo` answered. */
export type VideoTicket = { readonly model: string; readonly queue_id: string; readonly download_url?: string | undefined }

export type VideoInput = Parameters<Methods['queueVideo']>[0]

type Tools = {
  readonly methods: Pick<Methods, 'queueVideo' | 'retrieveVideo'>
  readonly fetch: typeof globalThis.fetch
  readonly now: () => number
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>
}

/**
 * Queues a video, asks until it is there and downloads it. Given a ticket instead of an input, it queues nothing and goes
 * on with the wait. The answer's body is the video/mp4 file, not read yet. `download_url` is fetched without credentials:
 * it is signed by itself (interface specification, POST /video/queue, rule 4).
 */
export async function generateVideo(tools: Tools, input: VideoInput | VideoTicket, options: VideoOptions = {}): Promise<Response> {
  const call = options.signal === undefined ? {} : { signal: options.signal }
  const ticket: VideoTicket = 'queue_id' in input ? input : await tools.methods.queueVideo(input, call)
  const giveUpAt = tools.now() + (options.deadlineMs ?? 30 * 60_000)

  for (;;) {
    const answer = await tools.methods.retrieveVideo({ model: ticket.model, queue_id: ticket.queue_id }, call)
    if (answer instanceof Response) return answer
    options.onProgress?.(progress(ticket, answer))
    if (answer.status === 'COMPLETED') return download(tools, ticket, options.signal)
    if (tools.now() >= giveUpAt) throw tooLong(ticket)
    await tools.wait(options.pollMs ?? 5_000, options.signal)
  }
}

function progress(ticket: VideoTicket, answer: Exclude<Data<'retrieveVideo'>, Response>): VideoProgress {
  return {
    queueId: ticket.queue_id,
    status: answer.status,
    averageMs: answer.average_execution_time,
    elapsedMs: answer.execution_duration,
  }
}

async function download(tools: Tools, ticket: VideoTicket, signal: AbortSignal | undefined): Promise<Response> {
  if (ticket.download_url === undefined) {
    throw new FareboxError(
      `retrieveVideo: ${ticket.queue_id} is COMPLETED, but the service sent neither the file nor, when it was queued, a download_url. ` +
        'If the ticket was stored, store its download_url with it.',
      { code: 'unexpected_response', operation: 'retrieveVideo' },
    )
  }
  const response = await tools.fetch(ticket.download_url, { credentials: 'omit', ...(signal && { signal }) })
  if (response.ok) return response
  await response.body?.cancel()
  throw new FareboxError(
    `The download of ${ticket.queue_id} was answered with ${response.status}. It may be tried again within 24 hours of queueing.`,
    {
      code: `http_${response.status}`,
      operation: 'retrieveVideo',
      status: response.status,
    },
  )
}

function tooLong(ticket: VideoTicket): FareboxError {
  return new FareboxError(
    `${ticket.queue_id} was not COMPLETED before the deadline. Go on with generateVideo({ model: '${ticket.model}', queue_id: '${ticket.queue_id}' }).`,
    { code: 'deadline', operation: 'retrieveVideo' },
  )
}
