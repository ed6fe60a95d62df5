import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres, type TestPostgres } from '@farebox/testing/postgres'
import type { Database } from '../../platform/database/database.js'
import { migrate } from '../../platform/database/migrate.js'
import { openPostgres } from '../../platform/database/postgres.js'
import { createVideoInputs, type VideoInputLimits } from './video-inputs.js'

let postgres: TestPostgres
let database: Database
beforeAll(async () => {
  postgres = await startPostgres()
  database = await openPostgres(postgres.url)
  await migrate(database)
  await database.query(
    `insert into account (name, kind, created_at) values ('key:a', 'key', now()), ('key:b', 'key', now())`,
  )
})
afterAll(async () => {
  await database.close()
  await postgres.stop()
})

/** 1,000 bytes as JSON. */
const request = { prompt: 'x'.repeat(987) }
const accounts = ['key:a', 'key:a', 'key:a', 'key:b', 'key:b', 'key:b']

/**
 * Keeps six requests at once, of which none is committed before all have begun: their accounts are
 * locked against the check of the foreign key.
 */
async function keepAtOnce(limits: VideoInputLimits): Promise<readonly string[]> {
  await database.query('truncate video_input')
  const inputs = createVideoInputs(database, () => Date.parse('2026-01-02T03:04:05Z'), limits)
  const holder = new pg.Client({ connectionString: postgres.url })
  await holder.connect()
  await holder.query('begin')
  await holder.query('select 1 from account for update')
  const kept = accounts.map((account, index) =>
    inputs.keep(`00000000-0000-4000-8000-00000000000${index}`, account, request),
  )
  const waiting = `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  await expect
    .poll(async () => (await database.query<{ count: number }>(waiting))[0]?.count)
    .toBe(accounts.length)
  await holder.query('commit')
  await holder.end()
  return (await Promise.all(kept)).toSorted()
}

describe('concurrent video requests', () => {
  it('stay within the limit of their caller', async () => {
    expect(await keepAtOnce({ perCaller: 2_000 })).toEqual([
      'caller',
      'caller',
      'kept',
      'kept',
      'kept',
      'kept',
    ])
  })

  it('stay within the limit of the service', async () => {
    expect(await keepAtOnce({ inTotal: 3_000 })).toEqual([
      'kept',
      'kept',
      'kept',
      'service',
      'service',
      'service',
    ])
  })
})
