import { isRecord } from '@farebox/middleware'
import type { GuardOptions, PaceOptions, RetryOptions } from '@farebox/retry'
import { FareboxError } from './error.js'
import type { FareboxCallOptions } from './methods.js'
import type { FareboxOptions } from './options.js'

/**
 * The names of a type's fields, each with the names within it or with `true`. The compiler refuses
 * a list that lacks a name or has another.
 */
export type Names<Options> = { readonly [Name in keyof Options]-?: true | Readonly<Record<string, unknown>> }

/**
 * A complaint about the first unknown option, with the nearest known name. Undefined if all are
 * known. An option that is `undefined` counts as left out.
 */
export function unknownOption(options: object, names: Readonly<Record<string, unknown>>, where: string): string | undefined {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    if (!Object.hasOwn(names, name)) return complaint(name, Object.keys(names), where)
    const within = names[name]
    const wrong = isRecord(within) && isRecord(value) ? unknownOption(value, within, `${where}: ${name}`) : undefined
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function complaint(wrong: string, known: readonly string[], where: string): string {
  const near = known.find((name) => isNear(wrong.toLowerCase(), name.toLowerCase()))
  return `${where} has no option "${wrong}". ${near === undefined ? `It has ${known.join(', ')}.` : `Did you mean "${near}"?`}`
}

/** One name begins with the other, or at most two letters differ. */
function isNear(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one) || distance(one, other) <= 2
}

/** How many letters to add, drop or replace (Levenshtein), row by row. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let index = 0; index < one.length; index++) {
    const next = [index + 1]
    for (let column = 0; column < other.length; column++) {
      const replaced = (row[column] ?? 0) + (one[index] === other[column] ? 0 : 1)
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}

const retry: Names<RetryOptions> = {
  attempts: true,
  backoff: true,
  rule: true,
  deadlineMs: true,
  maxWaitMs: true,
  now: true,
  wait: true,
  random: true,
  onRetry: true,
  onEvent: true,
}

const pace: Names<PaceOptions> = {
  caller: true,
  store: true,
  plan: true,
  bucket: true,
  burst: true,
  maxWaitMs: true,
  priority: true,
  tokens: true,
  now: true,
  wait: true,
  onEvent: true,
}

const guard: Names<GuardOptions> = {
  caller: true,
  store: true,
  failures: true,
  windowMs: true,
  blockMs: true,
  maxWaitMs: true,
  sends: true,
  now: true,
  wait: true,
  onEvent: true,
}

const topUp: Names<NonNullable<FareboxOptions['topUp']>> = { amountUsd: true, maxUsdPerDay: true }

/** The options of `createFarebox`. */
export const optionNames: Names<FareboxOptions> = {
  baseUrl: true,
  apiKey: true,
  wallet: true,
  topUp,
  serviceName: true,
  retry,
  pace,
  guard,
  timeoutMs: true,
  idleTimeoutMs: true,
  maxResponseBytes: true,
  fetch: true,
  onEvent: true,
  downloadOrigins: true,
  dangerouslyAllowBrowser: true,
  allowInsecureHttp: true,
  maxUsdPerPayment: true,
  networks: true,
  paceStore: true,
  payTo: true,
  reuse: true,
  store: true,
  validation: true,
}

/** The options of a call. */
export const callOptionNames: Names<FareboxCallOptions> = { signal: true, headers: true, timeoutMs: true, retry }

/**
 * Refuses an unknown option and a value that cannot be used, before anything is sent. The message
 * never quotes a header, which may be secret.
 */
export function checkCallOptions(options: object): void {
  const { headers, timeoutMs = 1 } = options as FareboxCallOptions
  const wrong =
    unknownOption(options, callOptionNames, 'A call') ??
    (isHeaders(headers) ? undefined : 'headers has a name or a value that HTTP does not allow.') ??
    (timeoutMs > 0 ? undefined : 'timeoutMs is not a positive number.')
  if (wrong !== undefined) throw new FareboxError(`${wrong} Nothing was sent.`, { code: 'invalid_input', attempts: 0 })
}

function isHeaders(headers: FareboxCallOptions['headers']): boolean {
  try {
    return headers === undefined || new Headers(headers) instanceof Headers
  } catch {
    return false
  }
}
