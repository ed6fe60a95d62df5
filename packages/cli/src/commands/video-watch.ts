import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isFareboxError, type Farebox, type QueuedVideo } from 'farebox'
import { type Context, UsageError } from '../command.js'
import { findUsedCaller, listAllowedCallers, connect } from '../calls/connect.js'
import { forEachAtOnce } from '../calls/for-each-at-once.js'
import { explain } from '../calls/explain.js'
import {
  printJson,
  createCountRate,
  createProgress,
  formatSize,
  note,
  paint,
  stripControls,
  printLine,
} from '../io/terminal.js'
import { openOutput, readParts } from '../io/output-file.js'
import { openPendingVideos } from './video-order.js'

/**
 * Waits for every video that is queued on this machine, and downloads each as QUEUE_ID.mp4. One
 * that fails does not stop the others; the exit code is then 1.
 */
export async function watchVideos(context: Context): Promise<number> {
  const { arguments: args, terminal, signal, environment } = context
  const wrong = [
    ...args.operands,
    ...['resume', 'output']
      .filter((flag) => args.text(flag) !== undefined)
      .map((flag) => `--${flag}`),
  ][0]
  if (wrong !== undefined)
    throw new UsageError(
      `--watch is for videos that are already queued, and cannot be combined with ${wrong}.`,
    )
  const { farebox } = await connect(
    context,
    listAllowedCallers('queueVideo'),
    args.all('download-origin'),
  )
  const pending = openPendingVideos(environment)
  const videos = await pending.list()
  if (videos.length === 0) {
    note(terminal, 'No video is queued on this machine.')
    return 0
  }
  const folder = args.text('out-dir') ?? '.'
  await mkdir(folder, { recursive: true })
  const progress = createProgress(terminal)
  const rate = createCountRate('videos')
  let [done, failed] = [0, 0]
  progress.report('waiting', rate(done, videos.length))
  // eight at a time: waiting costs the service nothing
  await forEachAtOnce(videos, 8, signal, async (video) => {
    const file = join(folder, `${toFileName(video)}.mp4`)
    const outcome = await download(context, farebox, video, file).catch((error: unknown) => {
      if (signal.aborted) throw error
      return { error }
    })
    progress.done()
    done++
    if ('error' in outcome) failed++
    // a second wait for a video that failed or was deleted would fail too
    if (!('error' in outcome) || isFinal(outcome.error)) await pending.remove(video.queue_id)
    await write(context, video, outcome)
    progress.report('waiting', rate(done, videos.length))
  })
  progress.done()
  signal.throwIfAborted()
  return failed === 0 ? 0 : 1
}

type Outcome = { readonly file: string; readonly bytes: number } | { readonly error: unknown }

async function download(
  { arguments: args, signal }: Context,
  farebox: Farebox,
  video: QueuedVideo,
  path: string,
): Promise<{ readonly file: string; readonly bytes: number }> {
  const file = await openOutput(path)
  try {
    const pollMs = (args.number('poll', 0.05) ?? 5) * 1000
    const response = await farebox.generateVideo(video, { signal, pollMs })
    return { file: path, bytes: await file.write(readParts(response)) }
  } finally {
    await file.abandon()
  }
}

/** A name from the service must not lead out of the folder. */
function toFileName({ queue_id }: QueuedVideo): string {
  return queue_id.replaceAll(/[^\w-]/g, '_')
}

function isFinal(error: unknown): boolean {
  return (
    isFareboxError(error, 'retrieveVideo') &&
    ([404, 422].includes(error.status ?? 0) || error.code === 'INFERENCE_FAILED')
  )
}

async function write(
  context: Context,
  { queue_id: queueId, model }: QueuedVideo,
  outcome: Outcome,
): Promise<void> {
  const { arguments: args, terminal } = context
  const failure =
    'error' in outcome
      ? explain(outcome.error, {
          isAborted: false,
          typed: context,
          caller: findUsedCaller(context.arguments),
        })
      : undefined
  const result =
    'error' in outcome ? { error: { code: failure?.code, message: failure?.message } } : outcome
  if (args.has('json'))
    return printJson(
      { ...terminal, json: { ...terminal.json, lines: true } },
      { queueId, model, ...result },
    )
  if ('error' in outcome)
    terminal.err.write(
      `${paint(terminal, 'red', '✗')} ${stripControls(`${queueId}: ${failure?.message}`)}\n`,
    )
  else
    await printLine(
      terminal,
      `${paint(terminal, 'green', '✓')} ${stripControls(`${queueId} → ${outcome.file}, ${formatSize(outcome.bytes)}`)}`,
    )
  return undefined
}
