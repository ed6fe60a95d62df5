import { afterAll, beforeAll, expect, it } from 'vitest'
import { emptyDatabase } from '../../../test/empty-database.js'
import type { Database, Row } from '../../platform/database/database.js'
import { auditLedger } from './audit.js'

const accounts = 1_100
const holds = 4_000

let database: Database

beforeAll(async () => {
  database = await emptyDatabase()
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

it('finds the faults of accounts in all of its statements, by name', async () => {
  const faults = await auditLedger(database)
  expect(faults).toHaveLength(accounts)
  expect(faults[0]).toMatchObject({
    account: 'wallet-0001',
    number: 0n,
    fault: 'the balance is 5, its entries add up to 0',
  })
  expect(faults.at(-1)?.account).toBe('wallet-1100')
})

it('reads each row a few times, however many accounts there are', async () => {
  let read = 0
  const explained: Database = {
    ...database,
    query: async <R extends Row>(sql: string, params: readonly unknown[] = []) => {
      const [plan] = await database.query<{ 'QUERY PLAN': readonly [{ Plan: Plan }] | string }>(
        `explain (analyze, format json) ${sql}`,
        params,
      )
      const text = plan?.['QUERY PLAN'] ?? '[]'
      const [{ Plan }] = (typeof text === 'string' ? JSON.parse(text) : text) as readonly [
        { Plan: Plan },
      ]
      read += rowsOf(Plan)
      return database.query<R>(sql, params)
    },
  }
  await auditLedger(explained)
  expect(read).toBeGreaterThan(accounts)
  expect(read).toBeLessThan(25 * (accounts + holds))
})

type Plan = {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly Plan[]
}

/** The rows that a plan and its parts read or passed on. */
function rowsOf(plan: Plan): number {
  const {
    'Rows Removed by Filter': filtered = 0,
    'Rows Removed by Index Recheck': rechecked = 0,
    Plans = [],
  } = plan
  const own = (plan['Actual Rows'] + filtered + rechecked) * plan['Actual Loops']
  return Plans.reduce((sum, part) => sum + rowsOf(part), own)
}
