import { afterAll, beforeAll, expect, it } from 'vitest'
import { countRowsRead } from '../../../test/count-rows-read.js'
import { openEmptyDatabase } from '../../../test/empty-database.js'
import type { Database } from '../../platform/database/database.js'
import { auditLedger } from './audit.js'

const accounts = 1_100
const holds = 4_000

let database: Database

beforeAll(async () => {
  database = await openEmptyDatabase()
  await database.query(
    `insert into account (name, kind, balance, created_at)
     select 'wallet-' || lpad(n::text, 4, '0'), 'wallet', 5, now() from generate_series(1, $1::int) n`,
    [accounts],
  )
  await database.query(
    `insert into hold (id, account_id, usd, diem, diem_day, request_id, state, expires_at, created_at)
     select n::text, (select min(id) from account) + n % $1::int, 1, 0, current_date, 'r', 'held', now(), now() from generate_series(1, $2::int) n`,
    [accounts, holds],
  )
  // the rows of before stay in the index of open holds until a vacuum
  await database.query(`update hold set state = 'released'`)
})
afterAll(() => database.close())

it('finds and names inconsistent accounts in each of its statements', async () => {
  const faults = await auditLedger(database)
  expect(faults).toHaveLength(accounts)
  expect(faults[0]).toMatchObject({
    account: 'wallet-0001',
    number: 0n,
    fault: 'the balance is 5, its entries add up to 0',
  })
  expect(faults.at(-1)?.account).toBe('wallet-1100')
})

it('reads each row a bounded number of times, however many accounts there are', async () => {
  const explained = countRowsRead(database)
  await auditLedger(explained)
  expect(explained.rowsRead()).toBeGreaterThan(accounts)
  expect(explained.rowsRead()).toBeLessThan(25 * (accounts + holds))
})
