import { createMediaReader, type MediaReader } from '../domain/media/media-reader.js'
import { createEmbeddedSpeech } from '../domain/speech/embedded-speech.js'
import type { SpeechBackend } from '../domain/speech/speech-backend.js'
import { createTextParser, type TextParser } from '../domain/text/text-parser.js'
import { instrumentSpeech, instrumentText } from './instrumented.js'
import type { Observers } from './observers.js'
import type { ServiceOptions } from './service-options.js'

/** The parts that work in threads. */
export type WorkerParts = {
  readonly textParser: TextParser
  readonly media: MediaReader
  readonly speech: SpeechBackend
}

/** Starts the threads, or takes those of the options. Each part has to be closed. */
export function startWorkers(options: ServiceOptions, { metrics, trouble }: Observers, ticks: () => number): WorkerParts {
  const { upstreams } = options
  return {
    textParser: instrumentText(options.textParser ?? upstreams?.textParser ?? createTextParser(), { ...metrics, trouble }, ticks),
    media: createMediaReader(),
    speech: instrumentSpeech(options.speech ?? upstreams?.speech ?? createEmbeddedSpeech(), { ...metrics, trouble }, ticks),
  }
}
