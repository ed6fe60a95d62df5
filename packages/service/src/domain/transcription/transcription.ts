import {
  type InferenceBackend,
  type InferenceTask,
  takeOnlyPart,
  routeInference,
  type InferenceSources,
} from '../inference/inference.js'
import { openPost, postForJson } from '../inference/upstream-post.js'
import type { AudioFormat, AudioFacts } from '../media/inspect-media.js'
import type { TranscriptionModel } from '../models/transcription-models.js'
import { isRecord } from '../../platform/unknown-value.js'
import type { UpstreamCall } from '../../platform/upstream/upstream-route.js'
import type { UpstreamSettings } from '../../platform/upstream/upstream-settings.js'

/** A recording to transcribe. Its length was read before. */
export type TranscriptionTask = InferenceTask & {
  readonly audio: Uint8Array
  /** The kind of the file, by its content. */
  readonly format: AudioFormat
  readonly seconds: number
  /** ISO 639-1. */
  readonly language?: string
  readonly prompt?: string
  readonly temperature?: number
  /** The times that the caller wants. */
  readonly times: { readonly segments: boolean; readonly words: boolean }
}

export type Transcript = {
  readonly text: string
  /** The name of the language in English, such as `english`. */
  readonly language?: string
  /** In order, without overlap. Needed when `times.segments`. */
  readonly segments?: readonly TranscriptSegment[]
  /** Needed when `times.words`. */
  readonly words?: readonly TranscriptWord[]
}

export type TranscriptSegment = {
  /** Seconds from the beginning of the recording. */
  readonly start: number
  readonly end: number
  readonly text: string
  readonly tokens?: readonly number[]
  readonly temperature?: number
  readonly avg_logprob?: number
  readonly compression_ratio?: number
  readonly no_speech_prob?: number
}

type TranscriptWord = {
  readonly word: string
  readonly start: number
  readonly end: number
}

export type TranscriptionBackend = InferenceBackend & {
  /** Rejects with an InferenceError for faults that the caller should know, and when it aborts. */
  readonly transcribe: (task: TranscriptionTask, signal: AbortSignal) => Promise<Transcript>
}

/** A recording that a model can transcribe. */
export type TranscriptionOrder = AudioFacts & {
  readonly model: TranscriptionModel
  readonly audio: Uint8Array
}

/** Transcripts of one upstream with OpenAI's `/audio/transcriptions`. */
type UpstreamTranscription = {
  readonly transcribe: (task: TranscriptionTask, call: UpstreamCall) => Promise<Transcript>
}

export function openTranscription(
  settings: UpstreamSettings,
  fetch: typeof globalThis.fetch,
): UpstreamTranscription {
  const post = openPost(settings, '/audio/transcriptions', fetch)
  return {
    transcribe: async (task, call) => {
      const value = await postForJson(post, settings, toForm(task, settings), call)
      const { text, language } = value
      if (typeof text !== 'string') throw post.failed('responded without text')
      const segments = task.times.segments ? readSegments(value['segments']) : undefined
      const words = task.times.words ? readWords(value['words']) : undefined
      // a caller of subtitles would pay for nothing
      const lacksTimes = segments?.length === 0 || words?.length === 0
      if (lacksTimes && text.trim() !== '') throw post.failed('gave text without its times')
      return {
        text,
        ...(typeof language === 'string' && { language }),
        ...(segments && { segments }),
        ...(words && { words }),
      }
    },
  }
}

/**
 * Transcripts of the upstreams that serve the model, or of the local backend while no upstream of
 * transcription is configured.
 */
export function createRoutedTranscription(
  sources: InferenceSources<TranscriptionBackend, UpstreamTranscription>,
): TranscriptionBackend {
  const { backend, local, ask } = routeInference(sources)
  return {
    ...backend,
    transcribe: async (task, signal) =>
      local()?.transcribe(task, signal) ??
      takeOnlyPart(
        ask({
          task,
          work: { minutes: task.seconds / 60 },
          signal,
          ask: async function* (client, call) {
            yield await client.transcribe(task, call)
          },
          isDelivery: () => false,
        }),
      ),
  }
}

function toForm(task: TranscriptionTask, { modelNames }: UpstreamSettings): FormData {
  const { model, audio, format, language, prompt, temperature, times } = task
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(audio)]), `recording.${format}`)
  form.set('model', modelNames[model] ?? model)
  const hasTimes = times.segments || times.words
  form.set('response_format', hasTimes ? 'verbose_json' : 'json')
  if (times.segments) form.append('timestamp_granularities[]', 'segment')
  if (times.words) form.append('timestamp_granularities[]', 'word')
  if (language !== undefined) form.set('language', language)
  if (prompt !== undefined) form.set('prompt', prompt)
  if (temperature !== undefined) form.set('temperature', String(temperature))
  return form
}

const numbers = ['temperature', 'avg_logprob', 'compression_ratio', 'no_speech_prob'] as const

function readSegments(value: unknown): readonly TranscriptSegment[] {
  return listTimed(value).flatMap(({ start, end, one }) => {
    const { text, tokens } = one
    if (typeof text !== 'string') return []
    const figures = numbers.flatMap((name) =>
      typeof one[name] === 'number' ? [[name, one[name]]] : [],
    )
    const isTokens = Array.isArray(tokens) && tokens.every((token) => typeof token === 'number')
    return [{ start, end, text, ...(isTokens && { tokens }), ...Object.fromEntries(figures) }]
  })
}

function readWords(value: unknown): readonly TranscriptWord[] {
  return listTimed(value).flatMap(({ start, end, one: { word } }) =>
    typeof word === 'string' ? [{ word, start, end }] : [],
  )
}

function listTimed(value: unknown) {
  return (Array.isArray(value) ? value.filter(isRecord) : []).flatMap((one) => {
    const { start, end } = one
    if (typeof start !== 'number' || typeof end !== 'number') return []
    // models state times before the recording, and ends before their start
    const from = Math.max(0, start)
    return [{ start: from, end: Math.max(from, end), one }]
  })
}
