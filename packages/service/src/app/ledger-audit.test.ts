import { afterEach, expect, it, vi } from 'vitest'
import { startService } from '../../test/harness.js'
import { createLog } from '../platform/telemetry/log.js'

afterEach(() => void vi.useRealTimers())

it('reports an account that was changed by hand once, in the log and in /metrics', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const lines: string[] = []
  const { ledgerFault } = createLog({
    level: 'warn',
    format: 'json',
    write: (line) => lines.push(line),
    now: () => 0,
  })
  const farebox = await startService({ onLedgerFault: ledgerFault })
  await farebox.database.query(`update account set balance = balance + 1 where name = 'key:admin'`)
  expect(await farebox.metrics()).toContain('\nfarebox_ledger_faults 0\n')
  const rounds = async () => {
    const [row] = await farebox.database.query<{ value: string }>(
      `select value from setting where name = 'pass of the ledger audit'`,
    )
    return row?.value
  }
  vi.advanceTimersByTime(60_000)
  await expect.poll(rounds).toBeDefined()
  await expect.poll(() => lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    level: 'error',
    message: 'ledger fault',
    account: 'key:admin',
    entry: 0,
    fault: 'the balance is 100000001, entry 1 left 100000000',
  })
  // another round, which the time of the database would put off
  await farebox.database.query(`delete from setting where name like '%of the ledger audit'`)
  vi.advanceTimersByTime(60_000)
  await expect.poll(rounds).toBeDefined()
  expect(lines).toHaveLength(1)
  expect(await farebox.metrics()).toContain('\nfarebox_ledger_faults 1\n')
  await farebox.database.query(`update account set balance = balance - 1 where name = 'key:admin'`)
  await farebox.service.close()
})
