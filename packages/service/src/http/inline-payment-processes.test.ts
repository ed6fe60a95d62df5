import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres, type TestPostgres } from '@farebox/testing/postgres'
import { startService, type Harness } from '../../test/harness.js'
import { createCountedSpeech, parse, createPayer, say } from '../../test/inline-payment.js'
import { openPostgres } from '../platform/database/postgres.js'

let postgres: TestPostgres
let processes: readonly Harness[]
const speech = createCountedSpeech()
beforeAll(async () => {
  postgres = await startPostgres()
  // gives up a lock early, whatever the scale of time limits in tests
  const start = async () =>
    startService({
      speech,
      databaseUrl: postgres.url,
      database: await openPostgres(postgres.url, { lockMs: 500 }),
    })
  processes = [await start(), await start()]
})
afterAll(async () => {
  for (const { service } of processes) await service.close()
  await postgres.stop()
})

const pickProcess = (index: number) => {
  const found = processes[index % 2]
  if (!found) throw new Error('There is no process.')
  return found
}

async function listEntries({ ledger }: Harness, { address }: { readonly address: string }) {
  return (await ledger.entries(address, { limit: 10, offset: 0 })).entries.map(({ type }) => type)
}

describe('two processes on one PostgreSQL', () => {
  it('credit one payment once and run its request once, whatever arrives concurrently', async () => {
    const one = pickProcess(0)
    const { wallet, paying } = await createPayer(one)
    const responses = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        if (index % 3 === 0) return parse(pickProcess(index), paying)
        return say(pickProcess(index), {
          ...paying,
          ...(index % 3 === 1 && { 'idempotency-key': 'order' }),
        })
      }),
    )
    const rejections = responses
      .filter(({ status }) => status !== 200)
      .map(({ status, json }) => `${status} ${String(json['code'])}`)
    expect(rejections.length).toBeLessThan(responses.length)
    const known = ['409 PAYMENT_USED', '409 IDEMPOTENCY_IN_PROGRESS', '409 DONE_BEFORE']
    expect(rejections.filter((rejection) => !known.includes(rejection))).toEqual([])
    expect(await listEntries(one, wallet)).toEqual(['CHARGE', 'TOP_UP'])
    expect(await one.ledger.audit()).toEqual([])
  })

  it('credit a payment whose account is locked when it is retried, and accept those of others meanwhile', async () => {
    const one = pickProcess(0)
    const { wallet, paying } = await createPayer(one)
    await parse(one, paying)
    const holder = new pg.Client({ connectionString: postgres.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select 1 from account where name = $1 for update', [wallet.address])
    const again = { 'payment-signature': await one.pay(wallet) }
    const stuck = parse(one, again)
    const others = await Promise.all(
      [0, 1, 2, 3].map(async (index) => parse(pickProcess(index), (await createPayer(one)).paying)),
    )
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const { status, json } = await stuck
    expect([status, json['code']]).toEqual([503, 'DATABASE_UNAVAILABLE'])
    await holder.query('commit')
    await holder.end()
    expect((await parse(pickProcess(1), again)).status).toBe(200)
    expect(await listEntries(one, wallet)).toEqual(['CHARGE', 'TOP_UP', 'CHARGE', 'TOP_UP'])
    expect(await one.ledger.audit()).toEqual([])
  })
})
