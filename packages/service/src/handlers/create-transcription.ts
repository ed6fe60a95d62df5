import type { Transcription } from '@farebox/types'
import type { Handler } from '../contract/handler.js'
import type {
  Transcript,
  TranscriptionTask,
  TranscriptSegment,
} from '../domain/transcription/transcription.js'

/** Turns speech into text. */
export const createTranscription: Handler<'createTranscription'> = async (context) => {
  const { input, order, callerId, cost, services, signal } = context
  const { transcription, shown } = services
  const { model, audio, format, seconds } = order
  const { response_format: requestedFormat, language, prompt, temperature } = input
  const granularities = input.timestamp_granularities ?? ['segment']
  const isVerbose = requestedFormat === 'verbose_json'
  let host: string | undefined
  const task: TranscriptionTask = {
    model: model.id,
    caller: callerId,
    audio,
    format,
    seconds,
    ...(language !== undefined && { language }),
    ...(prompt !== undefined && { prompt }),
    ...(temperature !== undefined && { temperature }),
    times: {
      segments:
        requestedFormat === 'srt' ||
        requestedFormat === 'vtt' ||
        (isVerbose && granularities.includes('segment')),
      words: isVerbose && granularities.includes('word'),
    },
    onServed: (call) => (host = call.host),
    cost,
  }
  const transcript = await transcription.transcribe(task, signal)
  const { text } = transcript
  const usage = { type: 'duration' as const, seconds }
  const segments = transcript.segments ?? [{ start: 0, end: seconds, text }]
  const body =
    requestedFormat === 'text'
      ? { text: `${text}\n` }
      : requestedFormat === 'srt'
        ? { text: toSrt(segments) }
        : requestedFormat === 'vtt'
          ? { text: toVtt(segments) }
          : { json: isVerbose ? { ...toVerbose(transcript, task), usage } : { text, usage } }
  return {
    status: 200,
    ...body,
    headers: { 'x-farebox-backend': shown(transcription.describe(model.id, host)) },
    modelId: model.id,
  }
}

function toVerbose(
  { text, language, segments = [], words = [] }: Transcript,
  { seconds, times, language: asked }: TranscriptionTask,
): Transcription {
  return {
    task: 'transcribe',
    language: language ?? asked ?? 'unknown',
    duration: seconds,
    text,
    ...(times.segments && { segments: segments.map(toSegment) }),
    ...(times.words && { words: words.map((word) => ({ ...word })) }),
  }
}

/** With all members that clients expect. */
function toSegment({ tokens = [], ...segment }: TranscriptSegment, id: number) {
  return {
    id,
    seek: 0,
    temperature: 0,
    avg_logprob: 0,
    compression_ratio: 1,
    no_speech_prob: 0,
    ...segment,
    tokens: [...tokens],
  }
}

/** Segments as SubRip. */
function toSrt(segments: readonly TranscriptSegment[]): string {
  return segments
    .map(
      ({ start, end, text }, index) =>
        `${index + 1}\n${toTime(start, ',')} --> ${toTime(end, ',')}\n${removeEmptyLines(text)}\n`,
    )
    .join('\n')
}

/** Segments as WebVTT. */
function toVtt(segments: readonly TranscriptSegment[]): string {
  const cues = segments.map(
    ({ start, end, text }) =>
      `${toTime(start, '.')} --> ${toTime(end, '.')}\n${escapeMarkup(removeEmptyLines(text))}\n`,
  )
  return ['WEBVTT\n', ...cues].join('\n')
}

/** An empty line would end the cue. */
function removeEmptyLines(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').join('\n')
}

function escapeMarkup(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

function toTime(seconds: number, point: string): string {
  const all = Math.round(seconds * 1000)
  const pad = (value: number, length = 2) => String(value).padStart(length, '0')
  const [hours, minutes] = [Math.floor(all / 3_600_000), Math.floor(all / 60_000) % 60]
  return `${pad(hours)}:${pad(minutes)}:${pad(Math.floor(all / 1000) % 60)}${point}${pad(all % 1000, 3)}`
}
