import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres, type TestPostgres } from '@farebox/testing/postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { charge } from '../../test/charge.js'
import { createCommand, waitForAddress, waitForOutput } from '../../test/command.js'
import { createLedger } from '../domain/ledger/ledger.js'
import type { Database } from '../platform/database/database.js'
import { openPostgres } from '../platform/database/postgres.js'

const operatorKey = 'operator-key-of-the-test'
const environment = { FAREBOX_OPERATOR_KEY: operatorKey }
let postgres: TestPostgres
let database: Database
let folder: string
beforeAll(async () => {
  postgres = await startPostgres()
  database = await openPostgres(postgres.url)
  folder = await mkdtemp(join(tmpdir(), 'farebox-money-'))
})
const shared = createCommand(undefined, () => ({
  ...environment,
  FAREBOX_DATABASE_URL: postgres.url,
}))
const embedded = createCommand(
  () => folder,
  () => environment,
)
afterEach(() => Promise.all([shared.killAll(), embedded.killAll()]))
afterAll(async () => {
  await database.close()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
})

async function startOperator({ start }: typeof shared) {
  const child = start('--port', '0', '--operator-port', '0', '--operator-changes')
  const [, url] = await Promise.all([waitForAddress(child), waitForOutput(child, /API at (\S+),/)])
  return { child, url }
}

/** The status of a change at one process. Undefined where no response came. */
async function send(url: string, path: string, body: object): Promise<number | undefined> {
  try {
    const headers = { authorization: `Bearer ${operatorKey}` }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(`${url}/operator/v1${path}`, init)
    await response.body?.cancel()
    return response.status
  } catch {
    return undefined
  }
}

describe('two processes on one PostgreSQL', () => {
  it('refund each charge exactly once, even when one is killed and all requests are retried', async () => {
    const [one, other] = await Promise.all([startOperator(shared), startOperator(shared)])
    let serial = 0
    const ledger = createLedger(database, { now: Date.now, id: () => `t${++serial}` })
    await ledger.grant('key:tram', 10_000n)
    const charges = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const purchase = { amount: 100n, requestId: `r${index}`, modelId: null }
        const result = await charge(ledger, { account: 'key:tram', ...purchase })
        return result.status === 'captured' ? result.entryId : ''
      }),
    )
    expect(await ledger.balance('key:tram')).toBe(6_000n)

    // 60 and 60 exclude each other, and 40 under one key at both processes is 40
    const orders = charges.flatMap((entry) => {
      const path = `/entries/${entry}/refund`
      const body = (amount: number, key: string) => ({
        amount,
        key: `${key} ${entry}`,
        reason: 'x',
      })
      return [
        { url: one.url, path, body: body(0.000_06, 'a') },
        { url: other.url, path, body: body(0.000_06, 'b') },
        { url: one.url, path, body: body(0.000_04, 'c') },
        { url: other.url, path, body: body(0.000_04, 'c') },
      ]
    })
    let answered = 0
    const statuses = await Promise.all(
      orders.map(async ({ url, path, body }) => {
        const status = await send(url, path, body)
        if (++answered === 50) other.child.kill('SIGKILL')
        return status
      }),
    )
    const lost = orders.filter((_, place) => statuses[place] === undefined)
    expect(lost.length).toBeGreaterThan(0)
    const repeated: (number | undefined)[] = []
    for (const { path, body } of lost) repeated.push(await send(one.url, path, body))
    // the kill may come before all of the rejections
    expect(new Set([...statuses, ...repeated, undefined])).toEqual(new Set([200, 400, undefined]))
    expect(repeated).not.toContain(undefined)

    const sums = await database.query<{ sum: bigint; count: bigint }>(
      `select sum(amount)::bigint as sum, count(*) as count from entry where type = 'REFUND' group by refunds`,
    )
    expect(sums).toEqual(charges.map(() => ({ sum: 100n, count: 2n })))
    expect(await ledger.balance('key:tram')).toBe(10_000n)
    expect(await ledger.audit()).toEqual([])
    expect((await shared.runHere('audit')).stdout).toContain('the ledger is consistent')
  })

  it("debit the balance once, and honor each other's freezes", async () => {
    const [one, other] = await Promise.all([startOperator(shared), startOperator(shared)])
    let serial = 0
    const ledger = createLedger(database, { now: Date.now, id: () => `d${++serial}` })
    await ledger.grant('key:bus', 1_000_000n)
    const path = '/accounts/key%3Abus/debit'
    const debits = Array.from({ length: 20 }, (_, index) =>
      send((index % 2 ? one : other).url, path, { amount: 0.3, reason: `number ${index}` }),
    )
    const statuses = await Promise.all(debits)
    expect(statuses.filter((status) => status === 200)).toHaveLength(3)
    expect(statuses.filter((status) => status === 400)).toHaveLength(17)
    expect(await ledger.balance('key:bus')).toBe(100_000n)
    const freeze = await send(one.url, '/accounts/key%3Abus/freeze', { reason: 'x' })
    const key = { account: 'key:bus' }
    expect([freeze, await send(other.url, '/keys', key)]).toEqual([200, 409])
    const direct = await shared.runHere('keys', 'create', '--account', 'bus')
    expect(direct).toMatchObject({ code: 1, stderr: expect.stringContaining('frozen') as string })
    expect(await shared.runHere('unfreeze', '--account', 'bus', '--reason', 'paid')).toMatchObject({
      code: 0,
      stdout: 'key:bus can spend 0.1 USD and 0 USD of daily credit, 0 USD are held\n',
    })
    expect(await send(other.url, '/keys', key)).toBe(200)
    expect(await ledger.audit()).toEqual([])
  })
})

it('the command corrects accounts of an embedded service while it runs', async () => {
  const { child, url } = await startOperator(embedded)
  const run = (...args: readonly string[]) => embedded.runHere(...args, '--operator-url', url)
  const by = ['--actor', 'Ada', '--key', 'k1'] as const
  const credit = await run('credit', '--account', 'tram', '--usd', '2.5', ...by)
  expect(credit).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^GRANT of 2\.5 USD done: entry led_\w+\. key:tram has 2\.5 USD after it\.\n$/,
    ) as string,
  })
  expect((await run('credit', '--account', 'tram', '--usd', '2.5', ...by)).stdout).toContain(
    'GRANT of 2.5 USD was done before: ',
  )
  const debit = ['debit', '--account', 'tram', '--reason', 'a chargeback', '--usd'] as const
  expect(await run(...debit, '3')).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'farebox-service: amount: This is too much: the account can spend 2.500000 USD, and held credit cannot be taken.\n',
  })
  expect((await run(...debit, '1')).code).toBe(0)
  const frozen = await run('freeze', '--account', 'tram', '--reason', 'a stolen\u202E card')
  expect(frozen.stdout).toMatch(
    /^key:tram can spend 1\.5 USD .* frozen since .*: a stolen\uFFFD card\n$/,
  )
  expect(JSON.parse((await run('find', 'TRA', '--json')).stdout)).toMatchObject([
    { by: 'account', account: { account: 'key:tram', spendable: 1.5 } },
  ])
  expect((await run('find', 'nobody')).code).toBe(1)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await run('unfreeze', '--account', 'tram', '--reason', 'x')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('gave no response. It may be run again.') as string,
  })
  expect(await run(...debit, '1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('gave no response. Run the command again with --key') as string,
  })
  // without a service, the folder itself
  const direct = await embedded.runHere('unfreeze', '--account', 'tram', '--reason', 'x')
  expect(direct).toMatchObject({ code: 0, stdout: expect.not.stringContaining('frozen') as string })
  expect((await embedded.runHere('audit')).stdout).toContain('the ledger is consistent')
})
