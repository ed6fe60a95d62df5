import type { Transcription } from '@farebox/types'
import type {
  Transcript,
  TranscriptionTask,
  TranscriptSegment,
} from '../domain/transcription/transcription-backend.js'
import { toSrt, toVtt } from '../domain/transcription/subtitles.js'
import type { Handler } from '../contract/handler.js'

/** Turns speech into text. */
export const createTranscription: Handler<'createTranscription'> = async (context) => {
  const { input, order, callerId, cost, services, signal } = context
  const { transcription, shown } = services
  const { model, audio, format, seconds } = order
  const { response_format: wanted, language, prompt, temperature } = input
  const granularities = input.timestamp_granularities ?? ['segment']
  const isVerbose = wanted === 'verbose_json'
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
        wanted === 'srt' || wanted === 'vtt' || (isVerbose && granularities.includes('segment')),
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
    wanted === 'text'
      ? { text: `${text}\n` }
      : wanted === 'srt'
        ? { text: toSrt(segments) }
        : wanted === 'vtt'
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
