import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LocalBackendError } from '../local-backend-error.js'
import { wrapText } from '../tasks/draw-card.js'

const resolve = createRequire(import.meta.url).resolve

/** Of a video to enlarge. */
const longestSeconds = 60

/** A video to make, with all defaults. */
export type LocalVideoOrder = {
  readonly model: { readonly id: string; readonly upscales: boolean }
  readonly prompt: string
  readonly seconds: number
  readonly width: number
  readonly height: number
  readonly audio: boolean
  readonly upscaleFactor: number
  /** To enlarge. */
  readonly video?: Uint8Array | undefined
}

export type LocalVideo = {
  /** The bytes of an MP4 file. Rejects with a LocalBackendError. */
  readonly render: (order: LocalVideoOrder, signal: AbortSignal) => Promise<Uint8Array>
}

export type LocalVideoOptions = {
  /** For one video. Default: 120,000. */
  readonly timeoutMs?: number
}

/**
 * Renders title cards with the ordered length, size and sound: the prompt, a clock and a note that
 * this is a local test clip. An upscale model enlarges a video in the request.
 */
export function createLocalVideo({ timeoutMs = 120_000 }: LocalVideoOptions = {}): LocalVideo {
  return {
    render: async (order, signal) => {
      const folder = await mkdtemp(join(tmpdir(), 'farebox-video-'))
      try {
        const args = order.model.upscales ? await enlarge(order, folder) : await draw(order, folder)
        const output = [
          '-c:v',
          'libx264',
          '-preset',
          'ultrafast',
          '-pix_fmt',
          'yuv420p',
          '-movflags',
          '+faststart',
          'out.mp4',
        ]
        await run([...args, ...output], folder, { timeoutMs, signal })
        return await readFile(join(folder, 'out.mp4'))
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

async function draw(
  { prompt, model, seconds, width, height, audio }: LocalVideoOrder,
  folder: string,
): Promise<string[]> {
  const size = Math.max(12, Math.round(Math.min(width, height) / 18))
  const small = Math.max(10, Math.round(size * 0.6))
  await writeFile(
    join(folder, 'prompt.txt'),
    wrapText(prompt, Math.floor((width * 0.85) / (size * 0.62))).join('\n'),
  )
  await writeFile(join(folder, 'label.txt'), `Test clip, drawn locally: ${model.id}`)
  const text = (settings: string) => `drawtext=fontfile=font.ttf:expansion=none:${settings}`
  await writeFile(
    join(folder, 'font.ttf'),
    await readFile(resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')),
  )
  const filters = [
    text(
      `textfile=prompt.txt:fontcolor=white:fontsize=${size}:line_spacing=${Math.round(size / 3)}:x=(w-text_w)/2:y=(h-text_h)/2`,
    ),
    text(`textfile=label.txt:fontcolor=0x9fb3c8:fontsize=${small}:x=${small}:y=h-2*${small}`),
    `drawtext=fontfile=font.ttf:text='%{pts\\:hms}':fontcolor=0x9fb3c8:fontsize=${small}:x=w-text_w-${small}:y=h-2*${small}`,
  ]
  const sound = ['-f', 'lavfi', '-i', `sine=frequency=220:sample_rate=48000:duration=${seconds}`]
  const ground = ['-f', 'lavfi', '-i', `color=c=0x18212f:s=${width}x${height}:r=24:d=${seconds}`]
  const audible = audio ? ['-af', 'volume=0.1', '-c:a', 'aac', '-b:a', '64k'] : ['-an']
  return [
    ...ground,
    ...(audio ? sound : []),
    '-vf',
    filters.join(','),
    '-t',
    String(seconds),
    ...audible,
  ]
}

async function enlarge(
  { video, seconds, upscaleFactor }: LocalVideoOrder,
  folder: string,
): Promise<string[]> {
  if (!video)
    throw new LocalBackendError(
      'rejected',
      'The local renderer does not fetch URLs. Send the video itself as a data URL.',
    )
  if (seconds > longestSeconds)
    throw new LocalBackendError(
      'rejected',
      `The local renderer enlarges ${longestSeconds} s at most; the video lasts longer.`,
    )
  await writeFile(join(folder, 'in'), video)
  const scale = `scale=trunc(iw*${upscaleFactor}/2)*2:trunc(ih*${upscaleFactor}/2)*2:flags=lanczos`
  // a guessed format could be a playlist that names files of this machine
  const input = ['-protocol_whitelist', 'file', '-f', detectContainer(video), '-i', 'in']
  return [...input, '-vf', scale, '-map', '0:v:0', '-map', '0:a?', '-c:a', 'aac']
}

function detectContainer(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 8)).toString('latin1')
  if (head.slice(4) === 'ftyp') return 'mov'
  if (head.startsWith('\x1a\x45\xdf\xa3')) return 'matroska'
  throw new LocalBackendError('rejected', 'The video is neither MP4, MOV nor WebM.')
}

function run(
  args: readonly string[],
  folder: string,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
) {
  return new Promise<void>((done, fail) => {
    const options = {
      cwd: folder,
      timeout: timeoutMs,
      killSignal: 'SIGKILL' as const,
      signal,
      env: {},
      maxBuffer: 1_000_000,
    }
    execFile(
      findFfmpeg(),
      ['-v', 'error', '-nostdin', '-y', ...args],
      options,
      (error, _stdout, stderr) => {
        if (!error) return done()
        const reason = stderr.trim().split('\n').at(-1) ?? error.message
        fail(
          new LocalBackendError(
            'failed',
            signal.aborted
              ? 'The service was stopped.'
              : `The renderer failed: ${reason.slice(0, 300)}`,
            { cause: error },
          ),
        )
      },
    )
  })
}

/** A peer dependency that only local videos need, since it is larger than everything else. */
function findFfmpeg(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    const main = createRequire(resolve('@ffmpeg-installer/ffmpeg'))
    return main.resolve(
      `@ffmpeg-installer/${platform}/ffmpeg${process.platform === 'win32' ? '.exe' : ''}`,
    )
  } catch (cause) {
    throw new LocalBackendError(
      'failed',
      `There is no renderer for ${platform}. Run npm install @ffmpeg-installer/ffmpeg beside the service, or use a video upstream.`,
      { cause },
    )
  }
}
