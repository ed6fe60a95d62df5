import { isFareboxError, type VideoInput, type VideoProgress, type VideoTicket } from 'farebox'
import { askConsent } from '../ask-consent.js'
import type { Arguments, Context, Run } from '../command.js'
import { callersOf, connect } from '../connect.js'
import { openDelivery } from '../deliver.js'
import { UsageError } from '../errors.js'
import { mayRepeat } from '../explain.js'
import { paidCall } from '../paid-call.js'
import { createProgress, sizeOf, type Progress } from '../progress.js'
import { mediaUrl, readStdin, textOf } from '../read-input.js'
import { note, printJson, printLine, type Terminal } from '../terminal.js'
import { pendingVideosOf } from '../pending-videos.js'

/** Queues a video and downloads it, or resumes a queued one. */
export const video: Run = async (context) => {
  const { arguments: given, terminal, signal, environment } = context
  const pendingVideos = pendingVideosOf(environment)
  const resumed = given.text('resume')
  const order = resumed === undefined ? await readOrder(context) : await ticketOf(resumed, given.text('model'), pendingVideos.find)
  const { farebox } = await connect(context, callersOf('queueVideo'))
  if (given.has('quote')) return printQuote(context, order, async (input) => (await farebox.quoteVideo(input, { signal })).quote)

  const delivery = await openDelivery(context, 'video.mp4')
  const progress = createProgress(terminal)
  const { idempotencyKey } = paidCall(context)
  let queued: VideoTicket | undefined = resumed === undefined ? undefined : (order as VideoTicket)
  let usd: number | undefined
  try {
    const answer = await mayRepeat(idempotencyKey, () =>
      farebox.generateVideo('queue_id' in order ? order : { ...order, idempotencyKey }, {
        signal,
        // the video is quoted before it is queued, so that its price can be shown
        maxUsd: given.number('max-usd', 0) ?? Infinity,
        pollMs: (given.number('poll', 0.05) ?? 5) * 1000,
        onConsent: (question) => {
          progress.done()
          return askConsent(terminal, question, given.has('consent'), signal)
        },
        onProgress: (step) => {
          if (step.stage === 'quoted') ({ usd } = step)
          if (step.stage === 'queued') {
            queued = step.ticket
            // stderr shows the id already; a file that cannot be written must not lose the video
            void pendingVideos.keep(step.ticket).catch(() => undefined)
          }
          tell(step, terminal, progress)
        },
      }),
    )
    const bytes = await delivery.take(answer)
    if (queued !== undefined) await pendingVideos.remove(queued.queue_id)
    if (given.has('json')) {
      await printJson(terminal, {
        file: delivery.path,
        bytes,
        model: queued?.model,
        queueId: queued?.queue_id,
        ...(usd !== undefined && { usd }),
      })
    }
    return 0
  } catch (error) {
    // a video that failed cannot be resumed
    const isLost = isFareboxError(error, 'retrieveVideo') && [404, 422, 500].includes(error.status ?? 0)
    if (queued !== undefined && !isLost) {
      progress.done()
      terminal.err.write(
        `The video is queued all the same. Go on with: farebox video --resume ${queued.queue_id} --model ${queued.model} -o FILE\n`,
      )
    }
    throw error
  } finally {
    progress.done()
    await delivery.abandon()
  }
}

function tell(step: VideoProgress, terminal: Terminal, progress: Progress): void {
  switch (step.stage) {
    case 'quoted':
      return note(terminal, `price: ${step.usd} USD`)
    case 'queued':
      return note(terminal, `queued: ${step.ticket.queue_id}`)
    case 'processing': {
      const of = step.averageMs > 0 ? ` of about ${seconds(step.averageMs)}` : ''
      return progress.tell(step.status.toLowerCase(), `${seconds(step.elapsedMs)}${of}`)
    }
    case 'downloading':
      return progress.tell(
        'downloading',
        `${sizeOf(step.receivedBytes)}${step.totalBytes === undefined ? '' : ` of ${sizeOf(step.totalBytes)}`}`,
      )
  }
}

async function printQuote(
  { arguments: given, terminal }: Context,
  order: VideoInput | VideoTicket,
  quote: (input: VideoInput) => Promise<number>,
): Promise<number> {
  if ('queue_id' in order) throw new UsageError('--quote and --resume do not go together: a queued video has its price already.')
  const { model, duration, aspect_ratio, resolution, upscale_factor, audio, video_url } = order
  const usd = await quote(withoutUndefined({ model, duration, aspect_ratio, resolution, upscale_factor, audio, video_url }) as VideoInput)
  if (given.has('json')) await printJson(terminal, { usd })
  else await printLine(terminal, `${usd} USD`)
  return 0
}

async function ticketOf(
  queueId: string,
  model: string | undefined,
  find: (queueId: string) => Promise<VideoTicket | undefined>,
): Promise<VideoTicket> {
  const kept = await find(queueId)
  if (kept !== undefined) return kept
  if (model !== undefined) return { model, queue_id: queueId }
  throw new UsageError(
    `Nothing is known of ${JSON.stringify(queueId)} on this machine. Give the model that it was queued with too: --model MODEL.`,
  )
}

async function readOrder({ arguments: given, terminal }: Context): Promise<VideoInput> {
  const [text] = given.operands
  if (text === undefined) throw new UsageError('video needs PROMPT, or --resume QUEUE_ID.')
  const prompt = text === '-' ? textOf(await readStdin(terminal, 1_000_000), 'stdin') : text
  const url = async (flag: string) => {
    const value = given.text(flag)
    return value === undefined ? undefined : mediaUrl(value)
  }
  const urls = async (flag: string) => (given.all(flag).length === 0 ? undefined : Promise.all(given.all(flag).map(mediaUrl)))
  const order = {
    model: given.text('model') ?? modelFor(given),
    prompt,
    duration: given.text('duration') ?? (given.text('video') === undefined ? '5s' : 'Auto'),
    negative_prompt: given.text('negative-prompt'),
    aspect_ratio: given.text('aspect-ratio'),
    resolution: given.text('resolution'),
    upscale_factor: given.number('upscale-factor'),
    audio: given.has('no-audio') ? false : undefined,
    image_url: await url('image'),
    end_image_url: await url('end-image'),
    audio_url: await url('audio'),
    video_url: await url('video'),
    reference_image_urls: await urls('reference-image'),
    reference_video_urls: await urls('reference-video'),
    reference_audio_urls: await urls('reference-audio'),
  }
  // the contract refuses other values, and names those that it accepts
  return withoutUndefined(order) as VideoInput
}

/** The model of the contract for the given name. */
function modelFor(given: Arguments): string {
  if (given.text('video') !== undefined) return 'topaz-video-upscale'
  if (given.text('image') !== undefined) return 'seedance-2-0-image-to-video'
  const references = ['reference-image', 'reference-video', 'reference-audio'].some((flag) => given.all(flag).length > 0)
  return references ? 'seedance-2-0-reference-to-video' : 'seedance-2-0-text-to-video'
}

function withoutUndefined(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`
}
