import type { UpstreamPool } from '../../platform/upstream/upstream-pool.js'
import type { UpstreamSettings } from '../../platform/upstream/upstream-settings.js'
import {
  SpeechError,
  type SpeechBackend,
  type SpeechPart,
  type SpeechRequest,
} from './speech-backend.js'
import { createUpstreamSpeech } from './upstream-speech.js'
import type { Lazy } from '../../platform/lazy.js'
import {
  toRetryAfter,
  through,
  type RouteParts,
  type UpstreamCall,
} from '../../platform/upstream/route-parts.js'

/** Speech of one upstream. */
export function openSpeech(settings: UpstreamSettings, send: typeof fetch): SpeechBackend {
  const { name, url, apiKey, modelNames, voiceNames, cost, timeouts, repeat } = settings
  return createUpstreamSpeech({
    name,
    url,
    ...(apiKey !== undefined && { apiKey }),
    ...(cost.header !== undefined && { costHeader: cost.header }),
    modelNames,
    voiceNames,
    firstByteMs: timeouts.firstByteMs,
    idleMs: timeouts.idleMs,
    isFreeUntilAudio: repeat === 'free',
    fetch: send,
  })
}

/**
 * Speech of the upstreams that serve the model, or of the local backend while no upstream of speech
 * is configured. Another upstream is asked only before the first byte.
 */
export function createRoutedSpeech(
  pool: UpstreamPool<SpeechBackend>,
  local: Lazy<SpeechBackend>,
  parts: RouteParts,
): SpeechBackend {
  const isLocal = () => pool.members().length === 0
  return {
    describe: (request, host) => {
      if (host !== undefined) return `upstream; host=${host}; voice=${request.voice}`
      return isLocal() ? local.get().describe(request) : `upstream; voice=${request.voice}`
    },

    speak: (request, signal) =>
      isLocal() ? local.get().speak(request, signal) : routed(request, signal),

    refuseLate: async (request) => {
      if (isLocal()) await local.get().refuseLate?.(request)
    },
    load: () => local.made()?.load?.() ?? { busy: 0, waiting: 0 },
    ready: async () => {
      if (isLocal()) await local.get().ready?.()
    },
    close: async () => {
      await Promise.all([local.made()?.close(), ...pool.clients().map((client) => client.close())])
    },
  }

  function routed(request: SpeechRequest, signal: AbortSignal): AsyncIterable<SpeechPart> {
    const { model, text, cost, onServed } = request
    const work = { model, characters: Array.from(text).length }
    const ask = (client: SpeechBackend, { signal: stop, ...call }: UpstreamCall) =>
      client.speak({ ...request, ...call }, stop)
    const isDelivery = ({ bytes }: SpeechPart) => bytes.byteLength > 0
    return through(
      pool,
      { capability: 'speech', work, cost, signal, onServed, ask, isDelivery, offline },
      parts,
    )
  }
}

function offline(waitMs: number): SpeechError {
  return new SpeechError(
    'busy',
    'The speech model is at capacity or offline. Try again later.',
    toRetryAfter(waitMs),
  )
}
