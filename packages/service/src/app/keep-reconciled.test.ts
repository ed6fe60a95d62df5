import { afterEach, expect, it, vi } from 'vitest'
import { openEmptyDatabase } from '../../test/empty-database.js'
import { scriptChain } from '../../test/scripted-chain.js'
import { createLedger } from '../domain/ledger/ledger.js'
import { migrate } from '../platform/database/migrate.js'
import { createMetrics } from '../platform/telemetry/metrics.js'
import { keepReconciled } from './reconcile-settlements.js'

afterEach(() => void vi.useRealTimers())

it('compares payments with their chains once a day, and retries an hour after a node did not respond', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const database = await openEmptyDatabase()
  await migrate(database)
  const time = Date.parse('2026-01-02T03:04:05Z')
  const ledger = createLedger(database, { now: () => time - 3_600_000, id: () => 'one' })
  const [network, asset] = ['eip155:8453', `0x${'33'.repeat(20)}`]
  await ledger.creditPayment({
    id: 'p',
    network,
    asset,
    payer: '0xab',
    nonce: 'n',
    amount: 5_000_000n,
    settledBy: 'facilitator',
    transaction: '0x1',
  })
  const chain = scriptChain()
  chain.goAway(true)
  const metrics = createMetrics(time)
  const [differences, troubles, errors]: [unknown[], string[], unknown[]] = [[], [], []]
  const reconciling = keepReconciled({
    database,
    nodes: { [network]: 'https://node.example/s3cret' },
    fetch: chain.fetch,
    metrics,
    now: () => time,
    onDifference: (difference) => differences.push(difference),
    onTrouble: ({ message }) => troubles.push(message),
    onError: (error) => errors.push(error),
  })
  const sample = async (name: string) =>
    new RegExp(`^farebox_reconciliation_${name} (\\S+)$`, 'm').exec(await metrics.print())?.[1]
  expect(await sample('timestamp_seconds')).toBeUndefined()
  vi.advanceTimersByTime(3_600_000)
  await expect.poll(() => sample('unchecked')).toBe('1')
  expect(troubles).toEqual([`Reconciliation: ${network}: eth_getTransactionReceipt: -32005`])

  chain.goAway(false)
  vi.advanceTimersByTime(3_600_000)
  await expect.poll(() => sample('differences')).toBe('1')
  expect(differences).toEqual([
    {
      kind: 'missing',
      transaction: '0x1',
      payment: 'p',
      detail: '5 USD of 0xab is credited, and there is no such transaction',
    },
  ])
  expect(await sample('timestamp_seconds')).toBe(String(time / 1000))
  // not again on the same day
  const asked = chain.asked()
  vi.advanceTimersByTime(3_600_000)
  await reconciling.close()
  expect([chain.asked(), errors]).toEqual([asked, []])
  await database.close()
})
