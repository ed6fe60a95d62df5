import { shownUrl, type Call } from '@farebox/middleware'
import { rateLimits } from '@farebox/types/operations'
import type { LimitState, RateLimitHeaders, Remaining } from './response-headers.js'
import type { SlotDelay } from './slot-queue.js'

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
type Limits = { readonly [Name in Plan]?: Figures }
type Tier = Limits & { readonly models: readonly string[] }

/**
 * The rate-limit class of the operation with its figures. For a chat, and without an operation: the
 * model that a JSON body names, else the method and path. Their limits are unknown until a response
 * states them.
 */
export function findOperationBucket(
  { operation, body, method, url }: Call,
  plan: Plan,
): BucketName {
  const model = operation && !isChat(body) ? undefined : findModelName(body)
  if (model !== undefined) return { name: model }
  const name = operation ? (operation.rateLimit ?? operation.id) : `${method} ${shownUrl(url)}`
  return { name, ...findFigures(operation?.limits, plan) }
}

/**
 * The bucket of a call by the contract's whole table (`x-rate-limits`). All text models of a tier
 * share a bucket, which has the figures of the tier. `rateLimit({ bucket: findBucket })` knows these
 * figures before the first response.
 *
 * @example
 * ```ts
 * rateLimit({ bucket: findBucket })
 * ```
 */
export function findBucket(call: Call, plan: Plan = 'default'): BucketName {
  const bucket = findOperationBucket(call, plan)
  const classes: Readonly<Record<string, Limits>> = rateLimits.classes
  const tiers: readonly (readonly [string, Tier])[] = Object.entries(rateLimits.tiers)
  const tier = tiers.find(([, { models }]) => models.includes(bucket.name))
  if (tier) return { name: `tier ${tier[0]}`, ...findFigures(tier[1], plan) }
  return call.operation && Object.hasOwn(classes, bucket.name)
    ? { ...bucket, ...findFigures(classes[bucket.name], plan) }
    : bucket
}

/** A partner without figures of its own has at least the default ones. */
function findFigures(limits: Limits | undefined, plan: Plan): Partial<Figures> {
  return limits?.[plan] ?? limits?.default ?? {}
}

/** Tokens of a completion without a limit of its own, in the default catalogue of the service. */
const usualCompletion = 16_384

/**
 * The tokens that a service reserves for a chat: a third of the bytes of its prompt, and the most
 * tokens of each completion. 0 for any other call.
 */
export function estimateTokens({ body }: Call): number {
  if (!isChat(body)) return 0
  const limit = readNumber(body, 'max_(?:completion_)?tokens') ?? usualCompletion
  // a service bounds media by its own figures
  const prompt = body.replace(/"data:[^"]*"/g, '')
  // its template, and three bytes for a character beyond ASCII
  const share = /^[\0-\x7f]*$/.test(prompt) ? 3 : 1
  return Math.ceil(256 + prompt.length / share + limit * (readNumber(body, 'n') ?? 1))
}

function isChat(body: unknown): body is string {
  return typeof body === 'string' && /"messages"\s*:\s*\[/.test(body)
}

function readNumber(body: string, name: string): number | undefined {
  const [, digits] = new RegExp(`"${name}"\\s*:\\s*(\\d{1,9})`).exec(body) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** Searches without parsing: a JSON string escapes its quotes, so it cannot contain the key. */
function findModelName(body: unknown): string | undefined {
  return typeof body === 'string' ? /"model"\s*:\s*"([^"\\]{1,200})"/.exec(body)?.[1] : undefined
}

/** The state of a request: in flight (0), lost and perhaps counted (1), responded to (2). */
type RequestState = 0 | 1 | 2

/** How many requests and tokens fall into one second. */
type Count = [second: number, requests: number, tokens: number, state: RequestState]

/** What remains of a window, and when that response arrived. A later request is newer. */
type WindowReading = Remaining & { readonly at: number }

type Budget = { limit?: number | undefined; left?: WindowReading | undefined }

/**
 * The state of one rate-limited bucket. Plain data, so that processes can share it in a store.
 * Times are milliseconds since 1970. It is changed in place, so that a call costs no copy.
 */
export type Bucket = {
  readonly requests: Budget
  readonly tokens: Budget
  /** The server asked for a pause until this moment. */
  holdUntil: number
  /** Whether responses state the remaining requests; absent before the first response. */
  announces?: boolean
  /** A request counts until one window after its response: the server counted it earlier. */
  counts: Count[]
}

/** The window of every limit (interface specification, "Limits"), tested by the contract. */
export const windowMs = 60_000

/** How a send ended: never sent, without a response, or with what its headers said. */
export type SendOutcome =
  | 'unsent'
  | 'lost'
  | { readonly limits: RateLimitHeaders; readonly holdUntil: number | undefined }

/**
 * What a request takes from its bucket. `burst` is how many requests are sent at once before any
 * rate-limit header was seen.
 */
export type SendCost = readonly [tokens: number, burst: number]

/** A bucket with the contract's limits, before the first response. */
export function createBucket({
  requests,
  tokens,
}: {
  readonly requests?: number
  readonly tokens?: number
}): Bucket {
  return { requests: { limit: requests }, tokens: { limit: tokens }, holdUntil: 0, counts: [] }
}

/** Takes a slot for a request, or says why there is none. */
export function takeSlot(bucket: Bucket, now: number, cost: SendCost): SlotDelay | undefined {
  // A count ends one window after the last moment of its second. After two windows a request in
  // flight was counted in one that is over, or its process has ended.
  bucket.counts = bucket.counts.filter(
    (count) => count[0] >= Math.floor((now - (count[3] ? 1 : 2) * windowMs) / 1000),
  )
  const blocked = findBlock(bucket, now, cost)
  if (!blocked) addCount(bucket.counts, now, 1, cost[0], 0)
  return blocked
}

/**
 * Within a window that the server announced, the free slots are the remaining ones less those in
 * flight, which the server may not have counted yet. Outside of one, our own count of the last
 * window decides, and only a burst is sent before a response says more.
 */
function findBlock(bucket: Bucket, now: number, [tokens, burst]: SendCost): SlotDelay | undefined {
  const { requests, tokens: budget, holdUntil, announces, counts } = bucket
  const exhaustedUntil = ({ left }: Budget, unit: 1 | 2, need: number) =>
    left !== undefined && left.resetAt > now && left.remaining - sumCounts(counts, unit, 1) < need
      ? left.resetAt
      : 0

  const need = Math.min(Math.max(1, tokens), budget.limit ?? Infinity)
  const pause =
    holdUntil > now ? holdUntil : exhaustedUntil(budget, 2, need) || exhaustedUntil(requests, 1, 1)
  if (pause) return { at: pause, source: 'server' }
  const inFlight = sumCounts(counts, 1, 0)
  const oldest = () => {
    const second = Math.min(...counts.map((count) => (count[3] ? count[0] : Infinity)))
    return second < Infinity ? (second + 1) * 1000 + windowMs : undefined
  }
  const { left: leftTokens, limit: maxTokens = Infinity } = budget
  // at least half of the limit is free after a reset: enough for one probe
  if (
    (inFlight > 0 || need > maxTokens / 2) &&
    leftTokens !== undefined &&
    leftTokens.resetAt <= now &&
    maxTokens - sumCounts(counts, 2, 2) < need
  )
    return inFlight > 0 ? { source: 'in-flight' } : { at: oldest(), source: 'limits' }
  const { left, limit = Infinity } = requests
  if (left !== undefined && left.resetAt > now) return undefined

  const free = limit - sumCounts(counts, 1, 2)
  // a window that has ended always admits one probe
  const withProbe = left !== undefined && inFlight === 0 ? Math.max(free, 1) : free
  if ((announces === false ? free : Math.min(withProbe, burst - inFlight)) >= 1) return undefined
  // what the server says next has more weight than our own count
  if (free >= 1 || (inFlight > 0 && announces !== false)) return { source: 'in-flight' }
  return { at: oldest(), source: 'limits' }
}

/** Returns the slot taken at `sentAt`, and learns from how the send ended. */
export function returnSlot(
  bucket: Bucket,
  sentAt: number,
  [tokens]: SendCost,
  outcome: SendOutcome,
  now: number,
): void {
  const { counts } = bucket
  addCount(counts, sentAt, -1, -tokens, 0)
  if (outcome === 'unsent') return
  if (outcome === 'lost') return addCount(counts, now, 1, tokens, 1)
  addCount(counts, now, 1, tokens, 2)
  const { limits } = outcome
  learn(bucket.requests, limits.requests, sentAt, now)
  learn(bucket.tokens, limits.tokens, sentAt, now)
  bucket.announces ||= limits.requests.left !== undefined
  bucket.holdUntil = Math.max(bucket.holdUntil, outcome.holdUntil ?? 0)
}

/**
 * Responses overtake each other. Of two requests that were in flight together the later window
 * wins; within one window the lower figure wins.
 */
function learn(budget: Budget, { limit, left }: LimitState, sentAt: number, at: number): void {
  budget.limit = limit ?? budget.limit
  const lastReading = budget.left
  if (!left) return
  const { reset, tolerance } = left
  if (!lastReading || sentAt > lastReading.at || reset > lastReading.reset + tolerance)
    budget.left = { ...left, at }
  else if (reset >= lastReading.reset - tolerance) {
    budget.left = {
      remaining: Math.min(left.remaining, lastReading.remaining),
      reset: Math.max(reset, lastReading.reset),
      // the skew is a lower bound, so a Unix time is never too early and the earlier one is closer;
      // seconds from now grow with the time on the way here
      resetAt: (tolerance === 0 ? Math.min : Math.max)(left.resetAt, lastReading.resetAt),
      tolerance,
      at,
    }
  }
}

/** Adds to the count of a second; negative numbers subtract. */
function addCount(
  counts: Count[],
  time: number,
  requests: number,
  tokens: number,
  state: RequestState,
): void {
  const second = Math.floor(time / 1000)
  for (const count of counts)
    if (count[0] === second && count[3] === state) {
      count[1] += requests
      count[2] += tokens
      return
    }
  if (requests > 0) counts.push([second, requests, tokens, state])
}

/** The sum of requests (1) or tokens (2) over the counts whose state is at most `latest`. */
function sumCounts(counts: readonly Count[], unit: 1 | 2, latest: RequestState): number {
  let sum = 0
  for (const count of counts) if (count[3] <= latest) sum += count[unit]
  return sum
}
