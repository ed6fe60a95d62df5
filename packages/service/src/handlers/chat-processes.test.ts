import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres, type TestPostgres } from '@farebox/testing/postgres'
import { createUpstreams } from '../app/create-upstreams.js'
import { createCatalogue } from '../domain/models/read-catalogue.js'
import { openPostgres } from '../platform/database/postgres.js'
import {
  startService,
  type TestResponse,
  type Harness,
  type TestWallet,
} from '../../test/harness.js'

const model = 'mistral-31-24b'
const usage = { prompt_tokens: 100, completion_tokens: 20 }
/** Micro-USD, at 0.5 and 2 USD for a million tokens. */
const price = 90n

let postgres: TestPostgres
let processes: readonly [Harness, Harness]
/** Lets upstreams respond that were asked meanwhile. */
let respond: () => void
let mayRespond: Promise<void>
const block = () => {
  mayRespond = new Promise((resolve) => (respond = resolve))
}

const upstream = async () => {
  await mayRespond
  const events = [
    { choices: [{ index: 0, delta: { content: 'Yes.' }, finish_reason: 'stop' }] },
    { choices: [], usage },
  ]
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
}

beforeAll(async () => {
  postgres = await startPostgres()
  const start = async () =>
    startService({
      databaseUrl: postgres.url,
      database: await openPostgres(postgres.url),
      catalogue: createCatalogue({ tiers: { S: { default: { requests: 100, tokens: 1_000 } } } }),
      upstreams: createUpstreams([{ name: 'one', capability: 'chat', url: 'http://127.0.0.1:9' }], {
        fetch: upstream,
      }),
    })
  processes = [await start(), await start()]
})
afterAll(async () => {
  for (const { service } of processes) await service.close()
  await postgres.stop()
})

/** Calls at the same time, each at the other process than the one before. */
function sendChats(
  wallet: TestWallet,
  count: number,
  body: object,
): readonly Promise<TestResponse>[] {
  return Array.from({ length: count }, async (_, index) => {
    const { call, signIn } = processes[index % 2 === 0 ? 0 : 1]
    return call('createChatCompletion', '/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(await signIn(wallet)) },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Far?' }], ...body }),
    })
  })
}

/** Lets upstreams respond once so many calls were rejected. Returns the statuses of all calls. */
async function settle(calls: readonly Promise<TestResponse>[], rejected: number) {
  const statuses: number[] = []
  for (const call of calls) void call.then(({ status }) => statuses.push(status))
  await expect.poll(() => statuses.length).toBe(rejected)
  respond()
  return Promise.all(calls.map(async (call) => (await call).status))
}

const countStatuses = (statuses: readonly number[]) =>
  [200, 402, 429].map((wanted) => statuses.filter((status) => status === wanted).length)

const advanceClocks = () => {
  for (const { clock } of processes) clock.time += 120_000
}

describe('two processes on one PostgreSQL', () => {
  it.each([true, false])('share the token limit of a minute, streamed: %s', async (stream) => {
    advanceClocks()
    const wallet = await processes[0].richWallet()
    block()
    // each reserves 250 tokens for its completion and some more for its prompt
    const statuses = await settle(sendChats(wallet, 10, { stream, max_tokens: 250 }), 8)
    expect(countStatuses(statuses)).toEqual([2, 0, 8])
    // 120 of 346 tokens were used each time, so at both processes the others are free again
    const again = await Promise.all(sendChats(wallet, 2, { max_tokens: 250 }))
    expect(again.map(({ status }) => status)).toEqual([200, 200])
    expect(await processes[1].ledger.audit()).toEqual([])
  })

  it('hold no more than a wallet has, and charge what was used', async () => {
    advanceClocks()
    const one = processes[0]
    const listHeld = async () =>
      (await one.database.query<{ usd: bigint }>(`select usd from hold where state = 'held'`)).map(
        ({ usd }) => usd,
      )
    block()
    const rich = await one.richWallet()
    const [probe] = sendChats(rich, 1, { max_tokens: 20 })
    await expect.poll(async () => (await listHeld()).length).toBe(1)
    const [hold = 0n] = await listHeld()
    respond()
    expect((await probe)?.status).toBe(200)

    advanceClocks()
    const balance = 4n * hold - 1n
    const wallet = await one.richWallet(Number(balance) / 1e6)
    block()
    const statuses = await settle(sendChats(wallet, 7, { max_tokens: 20, stream: true }), 4)
    expect(countStatuses(statuses)).toEqual([3, 4, 0])
    await expect.poll(listHeld).toEqual([])
    expect(hold).toBeGreaterThan(price)
    expect(await one.ledger.balance(wallet.address)).toBe(balance - 3n * price)
    expect(await processes[1].ledger.audit()).toEqual([])
  })
})
