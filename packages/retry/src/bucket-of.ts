import type { Call } from '@farebox/middleware'
import { rateLimits } from '@farebox/types/operations'

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
type Limits = { readonly default?: Figures; readonly partner?: Figures }

const classes: Readonly<Record<string, Limits>> = rateLimits.classes
const tiers: readonly (Limits & { readonly models: readonly string[] })[] = Object.values(rateLimits.tiers)

/**
 * By the contract's table (`x-rate-limits`): the class of the operation, or for a text model, found by the `model` of a JSON body, the
 * model itself with the figures of its tier. Where neither is known, the method and path; nothing is known then but what answers announce.
 */
export function bucketOf({ operation, body, method, url }: Call, plan: Plan): BucketName {
  const model = operation === undefined && typeof body === 'string' ? modelIn(body) : undefined
  const tier = model === undefined ? undefined : tiers.find(({ models }) => models.includes(model))
  if (model !== undefined && tier !== undefined) return { name: `model ${model}`, ...figures(tier, plan) }
  const name = operation?.rateLimit
  if (name !== undefined) return { name, ...(Object.hasOwn(classes, name) && figures(classes[name] ?? {}, plan)) }
  return { name: operation?.id ?? `${method} ${url.replace(/[?#].*$/s, '')}` }
}

/** A partner whose figures are not stated has the default ones at least. */
function figures(limits: Limits, plan: Plan): Partial<Figures> {
  return limits[plan] ?? limits.default ?? {}
}

/** The body is not parsed for this: within a text of JSON a quotation mark is escaped, so that the key cannot be in one. */
function modelIn(body: string): string | undefined {
  return /"model"\s*:\s*"([^"\\]{1,200})"/.exec(body)?.[1]
}
