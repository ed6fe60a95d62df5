import type { Capability, HealthSettings, UpstreamSettings } from './upstream-settings.js'

/** Of a field that the configuration of an upstream leaves out. */
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
function defaultRepeat(
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
    repeat: defaultRepeat(given.capability, format),
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
