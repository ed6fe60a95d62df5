import { discard, readBounded } from '../bounded-body.js'
import { wasNeverSent } from '../never-sent.js'
import { isRecord } from '../unknown-value.js'

/** How a call of an upstream failed, for the decision whether to send it again. */
export type UpstreamFailure = {
  /**
   * `rejected`: the request is at fault. `busy`: the upstream is healthy but full.
   * `failed`: anything else.
   */
  readonly kind: 'rejected' | 'busy' | 'failed'
  /** Whether the upstream may have begun work that it bills. */
  readonly mayHaveBegun: boolean
  /** Whether a request that costs nothing, such as a poll for a video, may be repeated. */
  readonly isTransient: boolean
  /** Of an error response. */
  readonly status?: number
  readonly retryAfterMs?: number
}

/**
 * The failure of an error response. A 4xx (with 429) or 503 means that nothing was begun. After a
 * 408 or another 5xx, the work may have been done behind a gateway that lost it.
 */
export function toUpstreamFailure(fault: UpstreamFault): UpstreamFailure {
  const { status } = fault
  if (fault.kind !== 'busy')
    return { kind: fault.kind, mayHaveBegun: false, isTransient: false, status }
  const { retryAfterSeconds } = fault
  return {
    kind: status === 429 ? 'busy' : 'failed',
    mayHaveBegun: status !== 429 && status !== 503,
    isTransient: true,
    status,
    ...(retryAfterSeconds !== undefined && { retryAfterMs: 1000 * retryAfterSeconds }),
  }
}

/** The failure of an error that `fetch` rejects with. */
export function readFetchFailure(error: unknown): UpstreamFailure {
  return { kind: 'failed', mayHaveBegun: !wasNeverSent(error), isTransient: true }
}

/** A response that is unusable, or did not arrive in time. */
export const lostResponse: UpstreamFailure = {
  kind: 'failed',
  mayHaveBegun: true,
  isTransient: false,
}

export type UpstreamErrorOptions = ErrorOptions & {
  /** When a retry may succeed. Default: soon. */
  readonly retryAfterSeconds?: number | undefined
  /** The fault of an upstream, for the log, without secrets and request. */
  readonly trouble?: string | undefined
  /** Of a call of an upstream. */
  readonly failure?: UpstreamFailure | undefined
}

/** Work failed, at an upstream or in this process. The message is for the caller. */
export abstract class UpstreamError extends Error {
  readonly retryAfterSeconds: UpstreamErrorOptions['retryAfterSeconds']
  readonly trouble: UpstreamErrorOptions['trouble']
  readonly failure: UpstreamErrorOptions['failure']

  constructor(
    message: string,
    { retryAfterSeconds, trouble, failure, ...options }: UpstreamErrorOptions = {},
  ) {
    super(message, options)
    this.retryAfterSeconds = retryAfterSeconds
    this.trouble = trouble
    this.failure = failure
  }
}

/**
 * The meaning of an error response of an upstream. `rejected`: the caller can fix the request, and
 * `reason` is the upstream's reason or empty. `busy`: a retry may succeed. `failed`: the operator
 * must act, for instance on a key or an account.
 */
export type UpstreamFault =
  | { readonly kind: 'rejected'; readonly status: number; readonly reason: string }
  | { readonly kind: 'busy'; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly kind: 'failed'; readonly status: number }

/**
 * The rule for all upstreams: 400, 413 and 422 are `rejected`, and so is a 403 of moderation. 408, 429
 * and 5xx are `busy`, and other errors are `failed`. Undefined for a success. The reason has at most
 * 300 characters, without URLs and anything that looks like a secret.
 */
export async function readUpstreamFault(
  response: Response,
  apiKey?: string,
  now: () => number = Date.now,
): Promise<UpstreamFault | undefined> {
  const { ok, status, headers } = response
  if (ok) return undefined
  if (rejections.has(status) || status === 403) {
    const body = parseJson(await readBeginning(response))
    if (isRejection(status, body)) return toRejection(status, body, apiKey)
  }
  await discard(response)
  return toFault(status, parseRetryAfter(headers.get('retry-after') ?? '', now()))
}

/** The fault that a success states in place of what was asked for. Undefined if it states none. */
export async function readFaultInside(
  response: Response,
  apiKey?: string,
): Promise<UpstreamFault | undefined> {
  const body = parseJson(await readBeginning(response))
  return isRecord(body) ? readStatedFault(body['error'], apiKey) : undefined
}

/**
 * The fault in the `error` of a body, where an upstream had already sent a status of 200. Its `code`
 * is the status. Undefined for other errors.
 */
export function readStatedFault(error: unknown, apiKey?: string): UpstreamFault | undefined {
  const status = isRecord(error) ? Number(error['code']) : NaN
  if (!Number.isInteger(status) || status < 400 || status > 599) return undefined
  return isRejection(status, error) ? toRejection(status, error, apiKey) : toFault(status)
}

const rejections: ReadonlySet<number> = new Set([400, 413, 422])

function isRejection(status: number, body: unknown): boolean {
  return rejections.has(status) || (status === 403 && isModeration(body))
}

const moderation = /moderat|content[ _-]?(?:policy|filter|violat)|usage guidelines|\bflagged\b/i
/** Of an operator's account, which no other request can change. */
const ofAccount =
  /\b(?:account|key|organi[sz]ation|project|team|workspace)s? (?:has|have|is|are|was|were)\b/i

/** Whether an error says that the content of a request is not allowed, and not its key. */
export function isModeration(value: unknown): boolean {
  const { error } = isRecord(value) ? value : {}
  const { code, type, metadata } = isRecord(error) ? error : isRecord(value) ? value : {}
  // of OpenRouter
  if (isRecord(metadata) && Array.isArray(metadata['reasons'])) return true
  const message = findMessage(value)
  return (
    !ofAccount.test(message) &&
    [code, type, message].some((one) => typeof one === 'string' && moderation.test(one))
  )
}

function toRejection(status: number, body: unknown, apiKey: string | undefined): UpstreamFault {
  return { kind: 'rejected', status, reason: readReason(body, apiKey) }
}

/** The message of an error for the caller. Empty if there is none. */
export function readReason(body: unknown, apiKey?: string): string {
  return clean(findMessage(body), apiKey)
}

function toFault(status: number, retryAfterSeconds?: number): UpstreamFault {
  if (status !== 408 && status !== 429 && status < 500) return { kind: 'failed', status }
  return { kind: 'busy', status, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }
}

const maxBytes = 16_384

/** Empty for a body that is too large or incomplete. */
async function readBeginning({ body }: Response): Promise<string> {
  const bytes = await readBounded(body, maxBytes).catch(() => undefined)
  return new TextDecoder().decode(bytes)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The message in one of the usual forms of JSON errors. Empty for other bodies, such as a proxy's
 * page.
 */
function findMessage(value: unknown, depth = 4): string {
  if (typeof value === 'string') return value
  if (depth === 0) return ''
  if (Array.isArray(value)) return findMessage(value[0], depth - 1)
  if (!isRecord(value)) return ''
  const { error, message, detail, msg } = value
  for (const one of [error, message, detail, msg]) {
    const text = findMessage(one, depth - 1)
    if (text !== '') return text
  }
  return ''
}

/** URLs, tokens with a known prefix, and words as long as a key or a signature. */
const secrets =
  /\bhttps?:\/\/\S+|\bbearer\s+\S+|\b(?:[spr]k|key|api|token|secret)[-_][\w*.-]{6,}|[\w+/=*-]{32,}/gi

function clean(text: string, apiKey: string | undefined): string {
  const open = apiKey === undefined || apiKey === '' ? text : text.replaceAll(apiKey, '[hidden]')
  return open
    .replace(secrets, '[hidden]')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, 300)
}

/** Retry-After in seconds or as a date, from 1 s to an hour. */
function parseRetryAfter(text: string, now: number): number | undefined {
  // Date.parse takes a number for a date
  const date = /^[a-z]/i.test(text) ? Date.parse(text) : NaN
  const seconds = Math.ceil(/^\d+(?:\.\d+)?$/.test(text) ? Number(text) : (date - now) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 1), 3600)
}
