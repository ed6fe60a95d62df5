import type { TaskThread } from '../tasks/task-thread.js'
import type { Sound } from '../tasks/find-sounds.js'

export type LocalTranscriptionTask = {
  /** Who pays, for fair shares. */
  readonly caller: string
  readonly audio: Uint8Array
  /** `mp3`, `wav`, `flac`, `m4a`, `ogg` or `webm`. */
  readonly format: string
  /** ISO 639-1. */
  readonly language?: string
}

export type LocalTranscript = {
  readonly text: string
  /** The name in English, of the language in the request. */
  readonly language?: string
  /** Apart by silence of 0.3 s at least. Times are in seconds. */
  readonly segments: readonly (Sound & { readonly text: string })[]
  readonly words: readonly (Sound & { readonly word: string })[]
}

export type LocalTranscription = {
  /** Rejects with a LocalBackendError. */
  readonly transcribe: (
    task: LocalTranscriptionTask,
    signal: AbortSignal,
  ) => Promise<LocalTranscript>
}

/** Stands for each sound, as the model does not know words. */
const word = '[sound]'
/** Silence between two segments, in seconds. */
const pause = 0.3

/**
 * A transcription model for tests. It detects sound and silence, and writes `[sound]` for each
 * sound.
 */
export function createLocalTranscription(thread: Pick<TaskThread, 'run'>): LocalTranscription {
  return {
    transcribe: async ({ caller, audio, format, language }, signal) => {
      const sounds = await thread.run(caller, { kind: 'listen', audio, format }, signal)
      const segments: { readonly start: number; readonly end: number; readonly text: string }[] = []
      for (const { start, end } of sounds.map(roundTimes)) {
        const last = segments.at(-1)
        if (last && start - last.end < pause)
          segments[segments.length - 1] = { ...last, end, text: `${last.text} ${word}` }
        else segments.push({ start, end, text: word })
      }
      const name = language === undefined ? undefined : nameLanguage(language)
      return {
        text: segments.map(({ text }) => text).join(' '),
        ...(name !== undefined && { language: name }),
        segments,
        words: sounds.map((sound) => ({ word, ...roundTimes(sound) })),
      }
    },
  }
}

function roundTimes({ start, end }: Sound): Sound {
  return { start: Number(start.toFixed(2)), end: Number(end.toFixed(2)) }
}

function nameLanguage(code: string): string | undefined {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
      .of(code)
      ?.toLowerCase()
  } catch {
    return undefined
  }
}
