import { extname } from 'node:path'
import { expected } from '@farebox/command-line'
import {
  isFareboxError,
  type Farebox,
  type QueuedVideo,
  type VideoInput,
  type VideoProgress,
} from 'farebox'
import { askConsent, confirmPrice } from '../calls/confirm.js'
import { type Context, type CommandHandler, UsageError } from '../command.js'
import { listAllowedCallers, connect } from '../calls/connect.js'
import { openDelivery, type Delivery } from '../io/output-file.js'
import {
  printJson,
  createProgress,
  createRate,
  formatSize,
  type Progress,
  note,
  printLine,
  type Terminal,
} from '../io/terminal.js'
import { rememberRepeatKey, createPaidCall } from '../calls/paid-call.js'
import {
  openPendingVideos,
  type PendingVideos,
  pickQuoteFields,
  readOrder,
  readQueuedVideo,
} from './video-order.js'

/** Queues a video and downloads it, or resumes a queued one. */
export const video: CommandHandler = async (context) => {
  const { arguments: args, environment } = context
  if (args.has('watch')) return (await import('./video-watch.js')).watchVideos(context)
  const pending = openPendingVideos(environment)
  const resumed = args.text('resume')
  const order =
    resumed === undefined
      ? await readOrder(context)
      : await readQueuedVideo(resumed, args.text('model'), pending)
  if (args.has('quote') || args.has('no-wait')) requireOrder(context, order)
  const { farebox } = await connect(
    context,
    listAllowedCallers('queueVideo'),
    args.all('download-origin'),
  )
  if ('queue_id' in order) return produce({ context, farebox, pending, order, queued: order })
  if (args.has('quote')) return printQuote(context, order, farebox)
  return produce({ context, farebox, pending, order })
}

type Production = {
  readonly context: Context
  readonly farebox: Farebox
  readonly pending: PendingVideos
  readonly order: VideoInput | QueuedVideo
  /** Known when it is resumed, else once it is queued. */
  queued?: QueuedVideo
  usd?: number
}

async function produce(production: Production): Promise<number> {
  const { context, pending } = production
  const { arguments: args, terminal } = context
  checkName(args.text('output'))
  const delivery = args.has('no-wait') ? undefined : await openDelivery(context, 'video.mp4')
  const progress = createProgress(terminal)
  try {
    const response = await generate(production, progress, delivery)
    if (response === undefined || delivery === undefined) return await printQueued(production)
    const bytes = await delivery.take(response)
    const { queued, usd } = production
    if (queued !== undefined) await pending.remove(queued.queue_id)
    const facts = {
      file: delivery.path,
      bytes,
      model: queued?.model,
      queueId: queued?.queue_id,
      ...(usd !== undefined && { usd }),
    }
    if (args.has('json')) await printJson(terminal, facts)
    return 0
  } catch (error) {
    const { queued } = production
    // a video that failed cannot be resumed
    const isLost =
      isFareboxError(error, 'retrieveVideo') && [404, 422, 500].includes(error.status ?? 0)
    if (queued !== undefined && !isLost) {
      progress.done()
      terminal.err.write(
        `The video is still queued. Continue with: farebox video --resume ${queued.queue_id} --model ${queued.model} -o FILE\n`,
      )
    }
    throw error
  } finally {
    progress.done()
    await delivery?.abandon()
  }
}

/** The finished video; undefined with --no-wait, once it is queued. */
async function generate(
  production: Production,
  progress: Progress,
  delivery: Delivery | undefined,
): Promise<Response | undefined> {
  const { context, farebox, pending, order } = production
  const { arguments: args, terminal, signal } = context
  const maxUsd = 'queue_id' in order ? Infinity : await confirmMaxUsd(context, order, farebox)
  const { idempotencyKey } = createPaidCall(context)
  const isQueued = new AbortController()
  let writing: Promise<void> | undefined
  const rate = createRate(formatSize)
  const call = farebox.generateVideo(order, {
    idempotencyKey,
    signal: AbortSignal.any([signal, isQueued.signal]),
    maxUsd,
    pollMs: (args.number('poll', 0.05) ?? 5) * 1000,
    onConsent: (question) => {
      progress.done()
      return askConsent(terminal, question, args.has('consent'), signal)
    },
    onProgress: (step) => {
      if (step.stage === 'quoted') production.usd = step.usd
      if (step.stage === 'queued') {
        production.queued = step.video
        writing = pending.keep(step.video)
        // stderr shows the id already; a file that cannot be written must not lose the video
        writing.catch(() => undefined)
        if (delivery === undefined) isQueued.abort()
      }
      reportStep(step, terminal, progress, rate)
    },
  })
  try {
    return await rememberRepeatKey(idempotencyKey, () => call)
  } catch (error) {
    if (!isQueued.signal.aborted || signal.aborted) throw error
    await writing
    return undefined
  }
}

/** The agreed price: that of --max-usd, any with --yes, or the quote once it is confirmed. */
async function confirmMaxUsd(
  context: Context,
  order: VideoInput,
  farebox: Farebox,
): Promise<number> {
  const { arguments: args, signal } = context
  const most = args.number('max-usd', 0)
  if (most !== undefined) return most
  if (args.has('yes')) return Infinity
  const { quote } = await farebox.quoteVideo(pickQuoteFields(order), { signal })
  await confirmPrice(context, { what: 'This video', usd: quote })
  return quote
}

/** Every video is an MP4; another extension would give the file a wrong name. */
function checkName(output = ''): void {
  const extension = extname(output).toLowerCase()
  if (extension !== '' && extension !== '.mp4' && !output.startsWith('/dev/'))
    throw expected('-o', output, 'a name that ends in .mp4')
}

function reportStep(
  step: VideoProgress,
  terminal: Terminal,
  progress: Progress,
  rate: ReturnType<typeof createRate>,
): void {
  switch (step.stage) {
    case 'quoted':
      return note(terminal, `price: ${step.usd} USD`)
    case 'queued':
      return note(terminal, `queued: ${step.video.queue_id}`)
    case 'processing': {
      const of = step.averageMs > 0 ? ` of about ${formatSeconds(step.averageMs)}` : ''
      return progress.report(step.status.toLowerCase(), `${formatSeconds(step.elapsedMs)}${of}`)
    }
    case 'downloading':
      return progress.report('downloading', rate(step.receivedBytes, step.totalBytes))
  }
}

async function printQueued({ context, queued, usd }: Production): Promise<number> {
  const { arguments: args, terminal } = context
  if (args.has('json'))
    await printJson(terminal, { model: queued?.model, queueId: queued?.queue_id, usd })
  else await printLine(terminal, queued?.queue_id ?? '')
  note(terminal, 'farebox video --watch waits for it and downloads it.')
  return 0
}

async function printQuote(
  { arguments: args, terminal, signal }: Context,
  order: VideoInput,
  farebox: Farebox,
): Promise<number> {
  const { quote: usd } = await farebox.quoteVideo(pickQuoteFields(order), { signal })
  if (args.has('json')) await printJson(terminal, { usd })
  else await printLine(terminal, `${usd} USD`)
  return 0
}

function requireOrder({ arguments: args }: Context, order: VideoInput | QueuedVideo): void {
  const flag = args.has('quote') ? '--quote' : '--no-wait'
  if ('queue_id' in order)
    throw new UsageError(
      `${flag} and --resume cannot be combined: a queued video already has its price.`,
    )
}

function formatSeconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`
}
