import type { LedgerEntry } from '@farebox/types'
import type { Farebox } from 'farebox'
import { EventEmitter, on } from 'node:events'
import type { Fetch } from './http-server.js'
import { readAccount } from './tour.js'

/** What the page shows. */
export type LiveState = {
  readonly baseUrl: string
  readonly address: string
  readonly balanceUsd: number
  /** Newest first. */
  readonly entries: readonly LedgerEntry[]
  /** Newest first. */
  readonly exchanges: readonly Exchange[]
}

export type Live = {
  readonly state: () => LiveState
  /** Answers as the service does, and records the calls of the API. */
  readonly fetch: Fetch
  /** The state now and after each change, until the signal aborts. */
  readonly changes: (signal: AbortSignal) => AsyncGenerator<LiveState, void, undefined>
}

const maxEntries = 200

/**
 * Records what goes over the wire, and reads the account of the wallet again after each call.
 * `farebox` must not call through `fetch`, or each reading would be recorded.
 */
export function createLive(
  service: { readonly origin: string; readonly fetch: Fetch },
  farebox: Farebox,
  address: string,
): Live {
  const emitter = new EventEmitter().setMaxListeners(0)
  let state: LiveState = {
    baseUrl: `${service.origin}/api/v1`,
    address,
    balanceUsd: 0,
    entries: [],
    exchanges: [],
  }
  let count = 0
  const set = (part: Partial<LiveState>) => {
    state = { ...state, ...part }
    emitter.emit('change')
  }
  const refresh = coalesce(async () => {
    const { leftUsd, entries } = await readAccount(farebox, address)
    set({ balanceUsd: leftUsd, entries: entries.slice(0, maxEntries) })
  })

  return {
    state: () => state,
    fetch: async (request, ended) => {
      const [at, start] = [new Date().toISOString(), performance.now()]
      const response = await service.fetch(request, ended)
      if (!new URL(request.url).pathname.startsWith('/api/')) return response
      const exchange = toExchange(request, response, {
        id: ++count,
        at,
        ms: Math.round(performance.now() - start),
      })
      set({ exchanges: [exchange, ...state.exchanges].slice(0, maxEntries) })
      // the charge is in the ledger once the body has ended
      void ended.then(refresh)
      return response
    },
    changes: async function* (signal) {
      const events = on(emitter, 'change', { signal })
      yield state
      for await (const _ of events) yield state
    },
  }
}

/**
 * Runs the work, and once more if it is requested meanwhile. After a failure the page stays
 * unchanged until the next call.
 */
function coalesce(work: () => Promise<void>): () => void {
  let requests = 0
  const loop = async () => {
    for (let done = 0; done < requests;) {
      done = requests
      await work().catch(() => undefined)
    }
    requests = 0
  }
  return () => {
    requests += 1
    if (requests === 1) void loop()
  }
}

/** One request and its response, as the page shows them. It holds no whole credential. */
export type Exchange = {
  readonly id: number
  /** ISO 8601. */
  readonly at: string
  readonly method: string
  readonly path: string
  readonly status: number
  /** From the request to the head of its response. */
  readonly ms: number
  /** Its step in the payment flow. */
  readonly stage: Stage
  readonly sent: readonly HeaderLine[]
  readonly received: readonly HeaderLine[]
}

export type HeaderLine = readonly [name: string, value: string]
type Stage = 'payment required' | 'repeat with payment' | 'charge' | 'rejection' | 'call'

const payments = ['payment-signature', 'x-402-payment', 'x-payment'] as const
const credentials = ['authorization', 'sign-in-with-x', 'x-sign-in-with-x', ...payments] as const
const plainSent = ['content-type', 'idempotency-key'] as const
const longReceived = ['payment-required', 'payment-response'] as const
const plainReceived = [
  'content-type',
  'x-balance-remaining',
  'x-farebox-backend',
  'x-request-id',
  'retry-after',
] as const

/** A request with the head of its response, as the page shows it. */
function toExchange(
  request: Request,
  response: Response,
  facts: Pick<Exchange, 'id' | 'at' | 'ms'>,
): Exchange {
  const { pathname, search } = new URL(request.url)
  return {
    ...facts,
    method: request.method,
    path: `${pathname}${search}`,
    status: response.status,
    stage: detectStage(request, response),
    sent: [
      ...toHeaderLines(request.headers, credentials, shorten),
      ...toHeaderLines(request.headers, plainSent),
    ],
    received: [
      ...toHeaderLines(response.headers, longReceived, shorten),
      ...toHeaderLines(response.headers, plainReceived),
    ],
  }
}

/** The scheme of a credential, its first characters and its length. */
function shorten(value: string): string {
  const [, scheme = '', secret = ''] = /^(Bearer +)?(.*)$/is.exec(value) ?? []
  return `${scheme}${secret.slice(0, Math.min(8, Math.floor(secret.length / 4)))}… (${secret.length} characters)`
}

function detectStage({ headers }: Request, response: Response): Stage {
  if (response.status === 402) return 'payment required'
  if (!response.ok) return 'rejection'
  if (payments.some((name) => headers.has(name))) return 'repeat with payment'
  return response.headers.has('x-balance-remaining') ? 'charge' : 'call'
}

function toHeaderLines(
  headers: Headers,
  names: readonly string[],
  show = (value: string) => value,
): readonly HeaderLine[] {
  return names.flatMap((name): HeaderLine[] => {
    const value = headers.get(name)
    return value === null ? [] : [[name, show(value)]]
  })
}
