import { shownUrl, type Call } from '@farebox/middleware'
import { rateLimits } from '@farebox/types/operations'

/** The rate-limited bucket that a call counts against. */
export type BucketName = {
  /** Calls with the same name share a bucket. */
  readonly name: string
  /** Requests in a window, if the contract states them. Rate-limit headers replace the figure. */
  readonly requests?: number
  /** Tokens in a window, likewise. */
  readonly tokens?: number
}

export type Plan = 'default' | 'partner'

type Figures = { readonly requests: number; readonly tokens?: number }
type Limits = Readonly<Record<string, Figures>>

/** A partner without figures of its own has at least the default ones. */
function figures(limits: Limits | undefined, plan: Plan): Partial<Figures> {
  return limits?.[plan] ?? limits?.['default'] ?? {}
}

/**
 * The rate-limit class of the operation with its figures. Without an operation: the model that a
 * JSON body names, else the method and path. Their limits are unknown until a response states them.
 */
export function ownBucketOf({ operation, body, method, url }: Call, plan: Plan): BucketName {
  const name = operation ? (operation.rateLimit ?? operation.id) : (modelIn(body) ?? `${method} ${shownUrl(url)}`)
  return { name, ...figures(operation?.limits, plan) }
}

/** Searches without parsing: a JSON string escapes its quotes, so it cannot contain the key. */
function modelIn(body: unknown): string | undefined {
  return typeof body === 'string' ? /"model"\s*:\s*"([^"\\]{1,200})"/.exec(body)?.[1] : undefined
}

/**
 * The bucket of a call by the contract's whole table (`x-rate-limits`). Use it for calls of other
 * libraries, such as those to text models, where each model has its own bucket with the figures of
 * its tier. `pace({ bucket: bucketOf })` knows these figures before the first response.
 */
export function bucketOf(call: Call, plan: Plan = 'default'): BucketName {
  const own = ownBucketOf(call, plan)
  const classes: Readonly<Record<string, Limits>> = rateLimits.classes
  const tiers: readonly (Pair & { readonly models: readonly string[] })[] = Object.values(rateLimits.tiers)
  if (call.operation) return Object.hasOwn(classes, own.name) ? { ...own, ...figures(classes[own.name], plan) } : own
  const tier = tiers.find(({ models }) => models.includes(own.name))
  return tier === undefined ? own : { ...own, ...figures({ default: tier.default, partner: tier.partner }, plan) }
}

type Pair = { readonly default: Figures; readonly partner: Figures }
