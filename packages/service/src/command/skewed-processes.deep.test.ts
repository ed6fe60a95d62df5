import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createSiwxHeader } from '@farebox/auth'
import { startPostgres, type TestPostgres } from '@farebox/testing/postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { commandKey, createCommand, waitForAddress, parseFor } from '../../test/command.js'
import { createWallet, type TestWallet } from '../../test/harness.js'
import { createLedger, type Ledger } from '../domain/ledger/ledger.js'
import { openProcessLease } from '../domain/ledger/process-lease.js'
import type { Database } from '../platform/database/database.js'
import { openPostgres } from '../platform/database/postgres.js'

let postgres: TestPostgres
let database: Database
let ledger: Ledger
let renewal: NodeJS.Timeout
beforeAll(async () => {
  postgres = await startPostgres()
  right = createCommand(undefined, () => ({ FAREBOX_DATABASE_URL: postgres.url }))
  origin = await waitForAddress(right.start('--port', '0'))
  database = await openPostgres(postgres.url)
  const lease = await openProcessLease(database, 'caller', false)
  // as a process does: on a busy machine, the test takes longer than a lease
  renewal = setInterval(() => void lease.renew(), 20_000)
  let serial = 0
  ledger = createLedger(database, {
    now: Date.now,
    id: () => `test-${++serial}`,
    processId: 'caller',
  })
})
afterAll(async () => {
  clearInterval(renewal)
  await database.close()
  await right.killAll()
  await postgres.stop()
})

/** A process with a right clock, which runs all the time. */
let right: ReturnType<typeof createCommand>
let origin: string

let skewed: ReturnType<typeof createCommand> | undefined
afterEach(() => skewed?.killAll())

/** Starts a process whose clock is `days` ahead of the database's. */
async function startSkewed(days: number) {
  const shim = fileURLToPath(
    new URL('../../../../tools/internal/testing/shift-date.cjs', import.meta.url),
  )
  const NODE_OPTIONS = `--require=${JSON.stringify(shim)}`
  skewed = createCommand(undefined, () => ({
    FAREBOX_DATABASE_URL: postgres.url,
    DAYS_AHEAD: String(days),
    NODE_OPTIONS,
  }))
  const child: ChildProcess = skewed.start('--port', '0')
  let log = ''
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
  return { origin: await waitForAddress(child), log: () => log }
}

/** Reads the balance of the wallet with a sign-in, as often as it is asked to. */
async function signIn(wallet: TestWallet) {
  const header = await createSiwxHeader(wallet, {
    domain: new URL(origin).host,
    uri: origin,
    statement: 'Sign in to Farebox API',
  })
  return async () => {
    const response = await fetch(`${origin}/api/v1/x402/balance/${wallet.address}`, {
      headers: { 'sign-in-with-x': header },
    })
    await response.arrayBuffer()
    return response.status
  }
}

describe.each([
  ['two days ahead', 2, 'ahead of'],
  ['an hour behind', -1 / 24, 'behind'],
])('a process whose clock is %s', (_name, days, side) => {
  it('deletes nothing that others need, is not ready, and says why', async () => {
    const wallet = createWallet()
    const use = await signIn(wallet)
    expect(await use()).toBe(200)
    const account = `key:held-${side}`
    await ledger.openKeyAccount(account, 100n)
    expect(
      await ledger.hold({ account, amount: 10n, requestId: 'r', modelId: null }, 7_200_000),
    ).toMatchObject({ status: 'held' })

    const { origin: other, log } = await startSkewed(days)
    const ready = await fetch(`${other}/readyz`)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toMatchObject({ checks: { database: 'ok', clock: 'failed' } })
    expect(log()).toMatch(
      new RegExp(`The clock of this machine is \\d+ s ${side} that of the database`),
    )
    const metrics = await fetch(`${other}/metrics`, {
      headers: { authorization: `Bearer ${commandKey}` },
    }).then((page) => page.text())
    const [, seconds] = /^farebox_clock_skew_seconds (.*)$/m.exec(metrics) ?? []
    expect(Number(seconds) / 86_400).toBeCloseTo(Math.abs(days), 2)

    expect(await use()).toBe(401)
    expect(await ledger.balance(account)).toBe(90n)
    expect((await fetch(`${origin}/readyz`)).status).toBe(200)
  })

  it('uses the database clock', async () => {
    const { origin: other } = await startSkewed(days)
    expect(await parseFor(other)).toBe(200)
    const [row] = await database.query<{ seconds: number }>(
      `select extract(epoch from max(greatest(created_at - now(), now() - created_at)))::float8 as seconds from entry`,
    )
    expect(row?.seconds).toBeLessThan(1_800)
  })
})
