import { isRecord } from '@farebox/middleware'
import type { FailureBudgetOptions, RateLimitOptions, RetryOptions } from '@farebox/retry'
import { createConfigurationError, FareboxError } from './error.js'
import type { FareboxCallOptions } from './methods.js'
import type { FareboxOptions, FareboxPayments, FareboxSignIn } from './options.js'

/** Says what is wrong with the value of an option: the rest of a sentence after its name. */
type Check = (value: unknown) => string | undefined

/**
 * The rule for each option: `true` allows any value, a function checks it, and a table holds the
 * rules for the options within. It does not compile if it lacks an option or has another.
 */
export type Rules<Options> = { readonly [Name in keyof Options]-?: Rule }
type Rule = true | Check | { readonly [name: string]: Rule }

/** A comparison with NaN is never true, so such a limit would never apply. */
export const positive: Check = (value) =>
  typeof value === 'number' && value > 0
    ? undefined
    : `is ${String(value)}. Expected a number above 0.`
/** Any other check skips an option that is omitted. */
const required: Check = (value) => positive(value)

const retry = {
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
} satisfies Rules<RetryOptions>

const rateLimit = {
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
} satisfies Rules<RateLimitOptions>

const failureBudget = {
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
} satisfies Rules<FailureBudgetOptions>

const rules: Rules<FareboxOptions> = {
  baseUrl: true,
  // a caller may pass null for none
  apiKey: (value) =>
    value === null || typeof value === 'string' || typeof value === 'function'
      ? undefined
      : 'is not a string, or a function that returns one.',
  wallet: signer,
  payments: {
    topUp: { amountUsd: required, maxUsdPerDay: required },
    maxUsdPerPayment: positive,
    payTo: true,
    networks: true,
    store: true,
  } satisfies Rules<FareboxPayments>,
  signIn: { reuse: true, serviceName: true } satisfies Rules<FareboxSignIn>,
  retry,
  rateLimit,
  failureBudget,
  timeoutMs: positive,
  idleTimeoutMs: positive,
  maxResponseBytes: positive,
  fetch: callable,
  onEvent: callable,
  downloadOrigins: urls,
  dangerouslyAllowBrowser: true,
  allowInsecureHttp: true,
  limitStore: true,
  validation: true,
}

const callRules: Rules<FareboxCallOptions> = {
  signal: true,
  headers: validHeaders,
  timeoutMs: positive,
  retry,
  idempotencyKey: true,
}

function callable(value: unknown): string | undefined {
  return typeof value === 'function' ? undefined : 'is not a function.'
}

/** Does not quote the value, which may be a private key. */
function signer(value: unknown): string | undefined {
  return isRecord(value) && typeof value['sign'] === 'function'
    ? undefined
    : 'is not a signer, such as privateKeySigner(key).'
}

function urls(value: unknown): string | undefined {
  const invalid =
    value === 'any'
      ? undefined
      : Array.isArray(value)
        ? value.find((origin) => !URL.canParse(origin))
        : value
  return invalid === undefined
    ? undefined
    : `has ${JSON.stringify(invalid)}. Expected an array of URLs.`
}

/** Does not quote a header, which may be secret. */
function validHeaders(value: unknown): string | undefined {
  try {
    void new Headers(value as HeadersInit)
    return undefined
  } catch {
    return 'has a name or a value that HTTP does not allow.'
  }
}

/** Throws a `FareboxError` with the code `configuration` for invalid options of `createFarebox`. */
export function checkOptions(options: FareboxOptions): void {
  const fault = findFault(options, rules, 'createFarebox') ?? findConflict(options)
  if (fault !== undefined) throw createConfigurationError(fault)
}

/** Throws a `FareboxError` with the code `invalid_input` for invalid options of a call. */
export function checkCallOptions(options: FareboxCallOptions): void {
  const fault = findFault(options, callRules, 'A call')
  if (fault !== undefined)
    throw new FareboxError(`${fault} Nothing was sent.`, { code: 'invalid_input', attempts: 0 })
}

/** Describes the first invalid option. One that is `undefined` counts as omitted. */
export function findFault<Options extends object>(
  options: Options,
  rules: Rules<Options>,
  where: string,
): string | undefined {
  if (!isRecord(options)) return `${where} takes an object of options.`
  const values = new Map(Object.entries(options).filter(([, value]) => value !== undefined))
  for (const name of values.keys())
    if (!Object.hasOwn(rules, name)) return describeUnknown(name, Object.keys(rules), where)
  for (const [name, rule] of Object.entries<true | Check | Rules<object>>(rules)) {
    const value = values.get(name)
    const fault =
      typeof rule === 'function' && (value !== undefined || rule === required)
        ? rule(value)
        : undefined
    if (fault !== undefined) return `${name} ${fault}`
    const within =
      isRecord(rule) && value !== undefined && value !== false
        ? findFault(value as object, rule, `${where}: ${name}`)
        : undefined
    if (within !== undefined) return within
  }
  return undefined
}

function findConflict({
  apiKey,
  wallet,
  payments,
  signIn,
  dangerouslyAllowBrowser,
}: FareboxOptions): string | undefined {
  if (apiKey !== undefined && wallet !== undefined)
    return 'apiKey and wallet are both set. Pass one: the service would let the wallet win.'
  if (payments !== undefined && wallet === undefined)
    return 'payments is set without a wallet. Only a wallet can pay: pass a wallet, or omit payments.'
  if (signIn !== undefined && wallet === undefined)
    return 'signIn is set without a wallet. Only a wallet signs in: pass a wallet, or omit signIn.'
  if (apiKey !== undefined && dangerouslyAllowBrowser !== true && isPage())
    return 'apiKey is set in a browser, where everyone who opens the page can read it. Pass a wallet, or call from a server; if the key may be read, set dangerouslyAllowBrowser: true.'
  return undefined
}

/** Whether this is a page in a browser, and not a worker or a server. */
function isPage(): boolean {
  const { window } = globalThis as { readonly window?: { readonly document?: unknown } }
  return window?.document !== undefined && typeof navigator !== 'undefined'
}

function describeUnknown(
  unknownName: string,
  knownNames: readonly string[],
  where: string,
): string {
  const similar = findSimilar(unknownName.toLowerCase(), knownNames)
  return `${where} has no option "${unknownName}". ${similar === undefined ? `It has ${knownNames.join(', ')}.` : `Did you mean "${similar}"?`}`
}

/** The name with the longest common prefix: three letters or more, and most of the unknown name. */
function findSimilar(unknownName: string, knownNames: readonly string[]): string | undefined {
  const least = Math.max(3, unknownName.length * 0.6)
  for (let { length } = unknownName; length >= least; length--) {
    const similar = knownNames.find((name) =>
      name.toLowerCase().startsWith(unknownName.slice(0, length)),
    )
    if (similar !== undefined) return similar
  }
  return undefined
}
