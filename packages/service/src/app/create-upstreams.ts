import type { ChatBackend } from '../domain/chat/chat-backend.js'
import { createRoutedChat, openChat } from '../domain/chat/upstream-chat.js'
import {
  type EmbeddingBackend,
  createRoutedEmbedding,
  openEmbedding,
} from '../domain/embedding/embedding.js'
import { type ImageBackend, createRoutedImage, openImage } from '../domain/image/image.js'
import {
  createLocalChat,
  createLocalEmbedding,
  createLocalImage,
  createLocalTranscription,
  createLocalSpeech,
  createLocalVideo,
} from '../domain/local/local-backends.js'
import { createRoutedSpeech, openSpeech } from '../domain/speech/upstream-speech.js'
import type { SpeechBackend } from '../domain/speech/speech-backend.js'
import { createTextParser, type TextParser } from '../domain/text/text-parser.js'
import { createRoutedText, openText } from '../domain/text/upstream-text.js'
import {
  type TranscriptionBackend,
  createRoutedTranscription,
  openTranscription,
} from '../domain/transcription/transcription.js'
import { createRoutedVideo, openVideos } from '../domain/video/routed-video.js'
import type { VideoBackend } from '../domain/video/video-backend.js'
import { lazy } from '../platform/lazy.js'
import { sendRequest } from '../platform/send-request.js'
import { sleep as realSleep, ticks as realTicks } from '../platform/time.js'
import {
  createHealthChecks,
  isHealthy,
  type CircuitState,
  createUpstreamPool,
} from '../platform/upstream/upstream-pool.js'
import type { RouteParts } from '../platform/upstream/upstream-route.js'
import {
  withDefaults,
  type GivenUpstream,
  capabilities,
  type Capability,
  type UpstreamSettings,
} from '../platform/upstream/upstream-settings.js'

export type { GivenUpstream } from '../platform/upstream/upstream-settings.js'

/** Routes work to other services by capability and model. */
export type Upstreams = {
  readonly speech: SpeechBackend
  readonly video: VideoBackend
  readonly textParser: TextParser
  readonly chat: ChatBackend
  readonly embedding: EmbeddingBackend
  readonly image: ImageBackend
  readonly transcription: TranscriptionBackend
  /** Replaces all upstreams. Calls in flight finish on the old ones. */
  readonly replace: (upstreams: readonly GivenUpstream[]) => void
  readonly states: () => readonly UpstreamStatus[]
  /** Rejects while every upstream has an open circuit or fails its health checks. */
  readonly ready: () => Promise<void>
  /** Runs the health checks that are due. `createService` calls it once a second. */
  readonly check: (signal: AbortSignal) => Promise<void>
  /**
   * Applies a rule to the current upstreams and to every later `replace`. If the rule throws, the
   * call throws and changes nothing.
   */
  readonly require: (rule: (upstreams: readonly UpstreamSettings[]) => void) => void
  /** Reports finished calls, and failures after which a request went to another upstream. */
  readonly listen: (listener: Pick<RouteParts, 'onEnd' | 'onTrouble'>) => void
}

/** The current state of an upstream. */
type UpstreamStatus = {
  readonly capability: Capability
  readonly upstream: string
  readonly inFlight: number
  readonly circuit: CircuitState
  /** False while its health checks fail. True without checks. */
  readonly healthy: boolean
}

/** Backends of this process by capability. A capability without one needs an upstream. */
export type LocalBackends = {
  readonly chat?: () => ChatBackend
  readonly embedding?: () => EmbeddingBackend
  readonly image?: () => ImageBackend
  readonly transcription?: () => TranscriptionBackend
}

const testModels: LocalBackends = {
  chat: createLocalChat,
  embedding: createLocalEmbedding,
  image: createLocalImage,
  transcription: createLocalTranscription,
}

export type UpstreamsOptions = {
  /** Used where there is no upstream. Default: the test models of `@farebox/local-backends`. */
  readonly local?: LocalBackends | undefined
  /** Used where there is no upstream. Default: a parser with default options. */
  readonly textParser?: () => TextParser
  readonly fetch?: typeof fetch
  /** Milliseconds that never go back. */
  readonly ticks?: () => number
  readonly sleep?: RouteParts['sleep']
  /** From 0 to 1, without 1. */
  readonly random?: () => number
}

/**
 * Routes speech, videos and documents to upstreams. A capability without an upstream uses the local
 * backend. A model that no upstream of its capability serves is offline.
 */
export function createUpstreams(
  upstreams: readonly GivenUpstream[],
  options: UpstreamsOptions = {},
): Upstreams {
  const {
    fetch: send = sendRequest,
    ticks = realTicks,
    sleep = realSleep,
    random = Math.random,
    local = testModels,
  } = options
  const rules: ((upstreams: readonly UpstreamSettings[]) => void)[] = []
  const listeners: Pick<RouteParts, 'onEnd' | 'onTrouble'>[] = []
  const parts: RouteParts = {
    ticks,
    sleep,
    random,
    onEnd: (event) => listeners.forEach(({ onEnd }) => onEnd(event)),
    onTrouble: (...trouble) => listeners.forEach(({ onTrouble }) => onTrouble(...trouble)),
  }
  const pools = {
    speech: createUpstreamPool((settings) => openSpeech(settings, send), ticks),
    video: createUpstreamPool((settings) => openVideos(settings, send), ticks),
    text: createUpstreamPool((settings) => openText(settings, send), ticks),
    chat: createUpstreamPool((settings) => openChat(settings, send), ticks),
    embedding: createUpstreamPool((settings) => openEmbedding(settings, send), ticks),
    image: createUpstreamPool((settings) => openImage(settings, send), ticks),
    transcription: createUpstreamPool((settings) => openTranscription(settings, send), ticks),
  } as const satisfies Readonly<Record<Capability, unknown>>

  const members = () => capabilities.flatMap((capability) => [...pools[capability].members()])
  const replace: Upstreams['replace'] = (all) => {
    const complete = all.map(withDefaults)
    for (const rule of rules) rule(complete)
    for (const one of capabilities)
      pools[one].replace(complete.filter(({ capability }) => capability === one))
  }
  replace(upstreams)
  return {
    speech: createRoutedSpeech(pools.speech, lazy(createLocalSpeech), parts),
    video: createRoutedVideo(pools.video, lazy(createLocalVideo), parts),
    textParser: createRoutedText(pools.text, lazy(options.textParser ?? createTextParser), parts),
    chat: createRoutedChat({
      capability: 'chat',
      pool: pools.chat,
      local: local.chat && lazy(local.chat),
      parts,
    }),
    embedding: createRoutedEmbedding({
      capability: 'embedding',
      pool: pools.embedding,
      local: local.embedding && lazy(local.embedding),
      parts,
    }),
    image: createRoutedImage({
      capability: 'image',
      pool: pools.image,
      local: local.image && lazy(local.image),
      parts,
    }),
    transcription: createRoutedTranscription({
      capability: 'transcription',
      pool: pools.transcription,
      local: local.transcription && lazy(local.transcription),
      parts,
    }),
    replace,
    states: () =>
      members().map(({ settings, state }) => ({
        capability: settings.capability,
        upstream: settings.name,
        inFlight: state.inFlight(),
        circuit: state.circuit(),
        healthy: isHealthy({ settings, state }),
      })),
    ready: async () => {
      const all = members()
      const isOut = ({ settings, state }: (typeof all)[number]) =>
        state.circuit() === 'open' || !isHealthy({ settings, state })
      if (all.length > 0 && all.every(isOut))
        throw new Error('Each upstream has an open circuit or fails its health checks')
    },
    check: createHealthChecks(members, { send, ticks, onTrouble: parts.onTrouble }),
    require: (rule) => {
      rule(members().map(({ settings }) => settings))
      rules.push(rule)
    },
    listen: (listener) => void listeners.push(listener),
  }
}
