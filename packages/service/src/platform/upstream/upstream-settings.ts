/** The kinds of work that an upstream can do. */
export const capabilities = [
  'speech',
  'video',
  'text',
  'chat',
  'embedding',
  'image',
  'transcription',
] as const
export type Capability = (typeof capabilities)[number]

/**
 * Where a request goes after a response that was lost: a 5xx, a timeout or a reset before the first
 * byte, or a response of another kind. The upstream may have begun work that it bills. A request
 * that certainly was not begun goes to any upstream.
 *
 * - `never`: nowhere
 * - `failover`: to another upstream, although both may bill it
 * - `keyed`: to this upstream again, which honors the Idempotency-Key, and then to another
 * - `free`: to any upstream, since this one bills nothing that it does not deliver
 */
export const repeats = ['never', 'failover', 'keyed', 'free'] as const
type Repeat = (typeof repeats)[number]

/** When the circuit of an upstream opens, and for how long. */
export type BreakerSettings = { readonly failures: number; readonly openMs: number }

/** One upstream, with all defaults and its secret. */
export type UpstreamSettings = {
  /** In the log and in metrics. Unique for its capability. */
  readonly name: string
  readonly capability: Capability
  readonly format: 'openai' | 'farebox'
  readonly url: string
  readonly apiKey?: string
  /** The models that it serves. Undefined: all. */
  readonly models?: readonly string[]
  /** Its own name of a model or a voice, where that differs. */
  readonly modelNames: Readonly<Record<string, string>>
  readonly voiceNames: Readonly<Record<string, string>>
  /** Fields of chat requests that are not in the contract, and that it takes. */
  readonly extraFields: readonly string[]
  /** The name of the limit of a completion. */
  readonly limitField: 'max_tokens' | 'max_completion_tokens'
  /** Whether it understands `stream_options.include_usage`. */
  readonly asksUsage: boolean
  /** Its share of the requests. 0: only when no other upstream takes one. */
  readonly weight: number
  /** Requests at a time. */
  readonly concurrency: number
  /** How often one request is sent to it again. */
  readonly retries: number
  readonly repeat: Repeat
  readonly breaker: BreakerSettings
  readonly timeouts: Timeouts
  readonly cost: CostSettings
  /** Checks between requests. Undefined: none. */
  readonly health?: HealthSettings
}

/** What a model of an upstream bills, in USD. */
export type Prices = {
  readonly usdPerRequest?: number | undefined
  /** For 1,000,000 characters (code points) of a text to speak. */
  readonly usdPerMillionCharacters?: number | undefined
  /** Of video. */
  readonly usdPerSecond?: number | undefined
  /** For 1,000,000 bytes of a document. */
  readonly usdPerMegabyte?: number | undefined
  /** For 1,000,000 tokens of prompts or inputs. */
  readonly usdPerMillionInputTokens?: number | undefined
  /** For 1,000,000 tokens of completions. */
  readonly usdPerMillionOutputTokens?: number | undefined
  readonly usdPerImage?: number | undefined
  /** For a minute of a recording. */
  readonly usdPerMinute?: number | undefined
}

/** What an upstream bills. Empty: unknown. */
export type CostSettings = Prices & {
  /** A response header with the cost in USD. It takes precedence over the prices. */
  readonly header?: string | undefined
  /** The prices of models, each in place of the prices of the upstream. */
  readonly models?: Readonly<Record<string, Prices | undefined>> | undefined
}

/** A GET below the URL that has to return 2xx. */
type HealthSettings = { readonly path: string; readonly everyMs: number }

/** In milliseconds. */
type Timeouts = {
  /** Until the first byte of speech or token of a completion, or the response to other requests. */
  readonly firstByteMs: number
  /** From one part of speech or of a completion to the next. */
  readonly idleMs: number
  /** For one video, from its order to its last byte. */
  readonly videoMs: number
  /** Between two polls for a video. */
  readonly pollMs: number
}

/** The work that one upstream serves. */
export type ServedCall = {
  readonly capability: Capability
  readonly upstream: string
  /** For the header X-Farebox-Backend. */
  readonly host: string
  /**
   * The bill that the upstream reports, or else its bill by its prices, in micro-USD. Without
   * either it is not known.
   */
  readonly costMicroUsd?: bigint
}

/** The work of one request, in the units of prices. */
export type Work = {
  readonly model: string
  /** Code points of a text to speak. */
  readonly characters?: number
  /** Of a video. */
  readonly seconds?: number
  /** Of a document. */
  readonly bytes?: number
  /** Tokens of the prompt or the inputs. */
  readonly inputTokens?: number
  /** Tokens of completions. */
  readonly outputTokens?: number
  readonly images?: number
  /** Of a recording. */
  readonly minutes?: number
}

/**
 * Called once an upstream has accepted a request, again when another one has, and again when the
 * work that is billed is known better.
 */
export type OnServed = (call: ServedCall, work?: Work) => void

/** The defaults of fields that the configuration of an upstream omits. */
export const upstreamDefaults = {
  weight: 1,
  concurrency: Infinity,
  retries: 1,
  breaker: { failures: 5, openMs: 30_000 },
  health: { everyMs: 15_000 },
  timeouts: { firstByteMs: 30_000, idleMs: 30_000, videoMs: 1_800_000, pollMs: 3_000 },
} as const

/** The formats of a capability, the default first. */
export const supportedFormats = {
  speech: ['openai'],
  video: ['farebox', 'openai'],
  text: ['farebox'],
  chat: ['openai'],
  embedding: ['openai'],
  image: ['openai'],
  transcription: ['openai'],
} as const satisfies Readonly<Record<Capability, readonly UpstreamSettings['format'][]>>

/**
 * Services with the contract of this one honor the Idempotency-Key. A second order of a video could
 * cost as much as thousands of other calls.
 */
function findDefaultRepeat(
  capability: Capability,
  format: UpstreamSettings['format'],
): UpstreamSettings['repeat'] {
  if (format === 'farebox') return 'keyed'
  return capability === 'video' ? 'never' : 'failover'
}

export type GivenUpstream = Pick<UpstreamSettings, 'name' | 'capability' | 'url'> &
  Partial<Omit<UpstreamSettings, 'breaker' | 'timeouts' | 'health'>> & {
    readonly breaker?: Partial<UpstreamSettings['breaker']>
    readonly timeouts?: Partial<UpstreamSettings['timeouts']>
    readonly health?: Pick<HealthSettings, 'path'> & Partial<HealthSettings>
  }

/** An upstream with the defaults of all that it leaves out. */
export function withDefaults(given: GivenUpstream): UpstreamSettings {
  const { format = supportedFormats[given.capability][0] } = given
  const { weight, concurrency, retries, breaker, timeouts, health: often } = upstreamDefaults
  const { health, ...rest } = given
  return {
    weight,
    concurrency,
    retries,
    repeat: findDefaultRepeat(given.capability, format),
    modelNames: {},
    voiceNames: {},
    extraFields: [],
    limitField: 'max_tokens',
    asksUsage: true,
    cost: {},
    ...rest,
    ...(health && { health: { ...often, ...health } }),
    format,
    breaker: { ...breaker, ...given.breaker },
    timeouts: { ...timeouts, ...given.timeouts },
  }
}

/** A URL or a path without trailing slashes. */
export function removeTrailingSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end--
  return text.slice(0, end)
}
