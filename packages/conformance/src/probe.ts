import { createSiwxHeader, type SiwxHeaderOptions, type WalletSigner } from '@farebox/auth'
import { serverTime, sleep } from '@farebox/retry'
import {
  abuseProtection,
  operations,
  type Operation,
  type OperationId,
} from '@farebox/types/operations'
import { validators } from '@farebox/zod/operations'
import { Finding, shorten } from './check.js'

export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'key'; readonly key: string }
  | {
      readonly kind: 'wallet'
      readonly signer: WalletSigner
      readonly options?: Partial<SiwxHeaderOptions>
      readonly header?: string
    }

/** The input of a call, and its credential. */
export type ProbeRequest = {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number>>
  readonly json?: unknown
  readonly form?: FormData
  readonly headers?: Readonly<Record<string, string>>
  readonly as?: Credential
}

export type ProbeResponse = {
  readonly status: number
  readonly headers: Headers
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly text: string
  /** The body as JSON, or the list of events of a stream; undefined for another media type. */
  readonly json: unknown
}

/** Sends plain requests without our client, because only the service is under test. */
export type Probe = {
  /**
   * Calls an operation and compares the response with the contract. The status must be declared and
   * one of `expected`; media type and body must be as declared. Throws `Finding` for the first
   * difference.
   */
  readonly call: (
    id: OperationId,
    expected: number | readonly number[],
    request?: ProbeRequest,
  ) => Promise<ProbeResponse>
  readonly origin: string
  readonly signIn: (signer: WalletSigner, options?: Partial<SiwxHeaderOptions>) => Promise<string>
  readonly wait: (ms: number) => Promise<void>
}

type ProbeOptions = {
  readonly baseUrl: string
  readonly serviceName: string
  readonly signal: AbortSignal
  readonly fetch?: typeof globalThis.fetch
  readonly now?: () => number
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The time limit of a response, in milliseconds. */
const patience = 60_000
/** The longest wait for a rate limit of the service, in milliseconds. */
const longestWait = 65_000

export function createProbe({
  baseUrl,
  serviceName,
  signal,
  fetch = globalThis.fetch,
  now = Date.now,
  wait = sleep,
}: ProbeOptions): Probe {
  const { origin, host } = new URL(baseUrl)
  const budget = createFailureBudget(now, (ms) => wait(ms, signal))
  const signIn: Probe['signIn'] = (signer, options) =>
    createSiwxHeader(signer, {
      domain: host,
      uri: origin,
      statement: `Sign in to ${serviceName} API`,
      now,
      ...options,
    })

  const send = async (id: OperationId, request: ProbeRequest): Promise<Response> => {
    const headers = new Headers(request.headers)
    if (request.json !== undefined) headers.set('content-type', 'application/json')
    const { as = { kind: 'none' } } = request
    if (as.kind === 'key') headers.set('authorization', `Bearer ${as.key}`)
    if (as.kind === 'wallet')
      headers.set(as.header ?? 'sign-in-with-x', await signIn(as.signer, as.options))
    const body =
      request.form ?? (request.json === undefined ? undefined : JSON.stringify(request.json))
    const limit = AbortSignal.any([signal, AbortSignal.timeout(patience)])
    return fetch(toUrl(baseUrl, id, request), {
      method: operations[id].method,
      headers,
      redirect: 'manual',
      signal: limit,
      ...(body !== undefined && { body }),
    })
  }

  const call: Probe['call'] = async (id, expected, request = {}) => {
    const statuses = [expected].flat()
    for (;;) {
      if (statuses.some((status) => status >= 400)) await budget.room()
      const response = await send(id, request)
      const bytes = new Uint8Array(await response.arrayBuffer())
      const { discovery }: Operation = operations[id]
      // the offers of a payment are not a failure
      const offer = request.as === undefined ? 402 : discovery
      if (!response.ok && response.status !== offer) budget.count()
      const resumeAt =
        response.status === 429 && !statuses.includes(429)
          ? (serverTime(response, now()) ?? now() + 30_000)
          : undefined
      // another client may have used up the limits before
      if (resumeAt !== undefined && resumeAt - now() < longestWait) {
        await wait(Math.max(0, resumeAt - now()) + 500, signal)
        continue
      }
      return checkResponse(id, statuses, response, bytes)
    }
  }
  return { call, origin, signIn, wait: (ms) => wait(ms, signal) }
}

function toUrl(baseUrl: string, id: OperationId, { path = {}, query = {} }: ProbeRequest): string {
  const filled = operations[id].path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(path[name] ?? ''),
  )
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  ).toString()
  return `${baseUrl}${filled}${search === '' ? '' : `?${search}`}`
}

type Verdict = {
  readonly error?:
    | {
        readonly issues: readonly {
          readonly path: readonly PropertyKey[]
          readonly message: string
        }[]
      }
    | undefined
}
type Bodies = Readonly<
  Record<string, Readonly<Record<string, { readonly safeParse: (value: unknown) => Verdict }>>>
>

function checkResponse(
  id: OperationId,
  expected: readonly number[],
  response: Response,
  bytes: Uint8Array,
): ProbeResponse {
  const { status, headers } = response
  const { method, path, responses }: Operation = operations[id]
  const where = `${method} ${path}`
  const mediaType = (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const text = new TextDecoder().decode(bytes)
  if (!expected.includes(status))
    throw new Finding(
      `${where} to respond with ${expected.join(' or ')}`,
      `${status} ${shorten(text)}`,
    )
  const declaredResponse = responses[status]
  if (declaredResponse === undefined)
    throw new Finding(
      `${where} to respond with a status of the contract`,
      `${status}, which the contract does not declare`,
    )
  if (declaredResponse.kind === 'empty')
    return { status, headers, mediaType, bytes, text, json: undefined }
  if (!declaredResponse.contentTypes.includes(mediaType)) {
    throw new Finding(
      `${where} to respond with ${status} as ${declaredResponse.contentTypes.join(' or ')}`,
      mediaType === '' ? 'no Content-Type' : mediaType,
    )
  }
  const json = mediaType === 'application/json' ? parse(where, status, text) : undefined
  const schema = (validators[id].responses as Bodies)[status]?.[mediaType]
  const events = mediaType === 'text/event-stream' ? readEvents(where, status, text) : undefined
  const [issue] = (events ?? [json ?? text]).flatMap(
    (value) => schema?.safeParse(value).error?.issues ?? [],
  )
  if (issue !== undefined) {
    throw new Finding(
      `the body of ${where} ${status} to be what the contract declares`,
      `${issue.path.map(String).join('.') || 'the whole body'}: ${issue.message}`,
    )
  }
  return { status, headers, mediaType, bytes, text, json: json ?? events?.map(({ data }) => data) }
}

/** The events of a stream that ends with `[DONE]`, in the form that the contract declares. */
function readEvents(where: string, status: number, text: string) {
  const events = text.split(/\r?\n\r?\n/).filter((event) => event.trim() !== '')
  if (events.at(-1) !== 'data: [DONE]')
    throw new Finding(`${where} ${status} to end with [DONE]`, shorten(events.at(-1) ?? 'no event'))
  return events
    .slice(0, -1)
    .map((event) => ({ data: parse(where, status, event.replace(/^data: ?/, '')) }))
}

function parse(where: string, status: number, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Finding(`the body of ${where} ${status} to be JSON`, shorten(text))
  }
}

/**
 * The service blocks a caller after more than 20 failures within 30 s (interface specification,
 * "Errors", rule 3). Two are left for other clients.
 */
function createFailureBudget(now: () => number, wait: (ms: number) => Promise<void>) {
  const windowMs = abuseProtection.windowSeconds * 1000 + 1000
  let failures: number[] = []
  return {
    room: async () => {
      failures = failures.filter((time) => time > now() - windowMs)
      const [oldest] = failures
      if (oldest !== undefined && failures.length >= abuseProtection.failures - 2)
        await wait(oldest + windowMs - now())
    },
    count: () => void failures.push(now()),
  }
}
