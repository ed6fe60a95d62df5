import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Agent, fetch, FormData } from 'undici'
import type { Database } from '../src/platform/database/database.js'
import { streamCompletion } from './chat-script.js'
import { commandKey } from './command.js'
import type { ScriptedUpstream } from './scripted-upstream.js'

const model = 'mistral-31-24b'
const usage = { prompt: 100, completion: 20 }

/** Writes what a service needs to be called without limits, and returns its variables. */
export function prepareLoad(folder: string, upstream: ScriptedUpstream): NodeJS.ProcessEnv {
  upstream.script = (response) => {
    const pieces = Array.from({ length: 10 }, (_, place) => `${place} `)
    void streamCompletion(response, { pieces, usage, gate: () => setTimeout(30) })
  }
  const chat = { name: 'chat', capability: 'chat', url: `${upstream.origin}/v1` }
  const requests = 1_000_000
  const catalogue = {
    tiers: { S: { default: { requests, tokens: 1_000_000_000 }, models: [model] } },
    limits: { text: { default: { requests } }, unstated: { default: { requests } } },
  }
  const files = { upstreams: { upstreams: [chat] }, catalogue }
  for (const [name, value] of Object.entries(files))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(value))
  return {
    FAREBOX_UPSTREAMS: 'upstreams.json',
    FAREBOX_CATALOGUE: 'catalogue.json',
    FAREBOX_ADMIN_CREDIT: '1000',
  }
}

/** What the caller of one charged call saw. */
export type SeenCall = {
  readonly requestId: string
  /** 0 where no response came. */
  readonly status: number
  readonly code: string | undefined
  readonly retryAfter: string | null
  /** Whether its response came to its end. */
  readonly isWhole: boolean
  /** Milliseconds of a steady clock. */
  readonly startedAt: number
  readonly endedAt: number
}

/** Of a connection for each call: a kept one may be closed just when it is used again. */
const dispatcher = new Agent({ pipelining: 0 })
const authorization = `Bearer ${commandKey}`

/** Has a text parsed, or streams a chat under an Idempotency-Key. */
export async function callCharged(origin: string, isStream: boolean): Promise<SeenCall> {
  const form = new FormData()
  form.append('file', new Blob(['Tram fares']), 'a.txt')
  const messages = [{ role: 'user', content: 'How far?' }]
  const [path, body, headers] = isStream
    ? [
        '/chat/completions',
        JSON.stringify({ model, stream: true, messages }),
        { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      ]
    : ['/augment/text-parser', form, {}]
  const init = { method: 'POST', body, headers: { authorization, ...headers }, dispatcher }
  const startedAt = performance.now()
  const response = await fetch(`${origin}/api/v1${path}`, init).catch(() => undefined)
  // the connection of a stream breaks where the service can no longer respond with an error
  const text = (await response?.text().catch(() => '')) ?? ''
  const isOk = response?.ok === true
  return {
    requestId: response?.headers.get('x-request-id') ?? '',
    status: response?.status ?? 0,
    code: isOk || text === '' ? undefined : (JSON.parse(text) as { readonly code: string }).code,
    retryAfter: response?.headers.get('retry-after') ?? null,
    isWhole: isStream && isOk ? text.endsWith('data: [DONE]\n\n') : text !== '',
    startedAt,
    endedAt: performance.now(),
  }
}

/** Three callers of each service, with one call at a time, until it is stopped. */
export function startLoad(origins: readonly string[]) {
  const seen: SeenCall[] = []
  const stop = new AbortController()
  const callers = origins.flatMap((origin) =>
    [false, false, true].map(async (isStream) => {
      for (; !stop.signal.aborted; await setTimeout(20))
        seen.push(await callCharged(origin, isStream))
    }),
  )
  return {
    seen,
    stop: async () => {
      stop.abort()
      await Promise.all(callers)
    },
  }
}

/**
 * Calls whose charges in the ledger differ from what their callers saw, and credit that is held
 * although none is running. Empty if all agree.
 */
export async function findWrongCharges(
  database: Database,
  seen: readonly SeenCall[],
): Promise<readonly string[]> {
  const rows = await database.query<{ id: string; charges: bigint; paid: bigint }>(
    `select c.request_id as id, count(*) as charges,
       sum(c.amount + coalesce((select sum(r.amount) from entry r where r.refunds = c.id), 0))::bigint as paid
     from entry c where c.type = 'CHARGE' group by 1`,
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  const known = new Set(seen.map(({ requestId }) => requestId))
  const wrong = seen.flatMap(({ requestId, status, isWhole }) => {
    const { charges = 0n, paid = 0n } = found.get(requestId) ?? {}
    const isRight =
      status === 200 && isWhole ? charges === 1n && paid < 0n : charges <= 1n && paid === 0n
    return isRight ? [] : [`${requestId}: ${status}, ${isWhole}, ${charges} charges of ${paid}`]
  })
  const unknown = rows.filter(({ id }) => !known.has(id)).map(({ id }) => `${id}: nobody saw it`)
  const [rest] = await database.query<{ held: bigint }>(
    'select coalesce(sum(held), 0)::bigint as held from account',
  )
  return [...wrong, ...unknown, ...(rest?.held === 0n ? [] : [`${rest?.held} are still held`])]
}
