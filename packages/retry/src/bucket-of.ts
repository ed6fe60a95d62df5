import type { Call } from '@farebox/middleware'
import { rateLimits } from '@farebox/types/operations'
import { withoutQuery } from './events.js'

/** The budget that a call counts against. */
export type BucketName = {
  /** Calls of one name share a budget. */
  readonly name: string
  /** Requests in a window, where the table knows; what answers announce holds instead as soon as there is one. */
  readonly requests?: number
  /** Tokens in a window, likewise. */
  readonly tokens?: number
}

export type Plan = 'default' | 'partner'

type Figures = { readonly requests: number; readonly tokens?: number }
type Limits = Readonly<Record<string, Figures>>

/** A partner whose figures are not stated has the default ones at least. */
function figures(limits: Limits | undefined, plan: Plan): Partial<Figures> {
  return limits?.[plan] ?? limits?.['default'] ?? {}
}

/**
 * The class of the operation with the figures that it brings along; where no operation is known, the model that a body of JSON names, or the
 * method and path, of which nothing is known but what answers announce.
 */
export function ownBucketOf({ operation, body, method, url }: Call, plan: Plan): BucketName {
  const name = operation ? (operation.rateLimit ?? operation.id) : (modelIn(body) ?? `${method} ${withoutQuery(url)}`)
  return { name, ...figures(operation?.limits, plan) }
}

/** The body is not parsed for this: within a text of JSON a quotation mark is escaped, so that the key cannot be in one. */
function modelIn(body: unknown): string | undefined {
  return typeof body === 'string' ? /"model"\s*:\s*"([^"\\]{1,200})"/.exec(body)?.[1] : undefined
}

/**
 * By the contract's whole table (`x-rate-limits`): for calls that the generated client does not make, such as those of another library for
 * text models, whose budgets are the model's own with the figures of its tier. `pace({ bucket: bucketOf })` knows them before the first answer.
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
