import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { origin, startService, type Harness, type TestWallet } from '../../test/harness.js'
import { startPostgres, type TestPostgres } from '@farebox/testing/postgres'
import { openPostgres } from '../platform/database/postgres.js'

let postgres: TestPostgres
let farebox: Harness
beforeAll(async () => {
  postgres = await startPostgres()
  farebox = await startService({
    databaseUrl: postgres.url,
    database: await openPostgres(postgres.url, { lockMs: 500 }),
  })
})
beforeEach(() => void (farebox.crashes.length = farebox.troubles.length = 0))
afterAll(async () => {
  await farebox.service.close()
  await postgres.stop()
})

/**
 * Has a text parsed. The signature is made here, so that all work of the service comes after it.
 */
async function prepareSale(wallet: TestWallet) {
  const headers = await farebox.signIn(wallet)
  return async () => {
    const body = new FormData()
    body.append('file', new Blob(['Tram fares']), 'a.txt')
    const response = await farebox.service.fetch(
      new Request(`${origin}/api/v1/augment/text-parser`, { method: 'POST', body, headers }),
    )
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: await response.json(),
    }
  }
}

const unavailable = {
  status: 503,
  retryAfter: '2',
  body: {
    error: 'The database does not respond at the moment. Try again in 2 s.',
    code: 'DATABASE_UNAVAILABLE',
  },
}

describe('two accounts whose rows are locked', () => {
  it('get 503 in time, and do not block charges to another account', async () => {
    const [first, second, third] = (await Promise.all(
      [1, 2, 3].map(() => farebox.richWallet(1)),
    )) as [TestWallet, TestWallet, TestWallet]
    const holder = new pg.Client({ connectionString: postgres.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select 1 from account where name = any ($1) for update', [
      [first.address, second.address],
    ])
    const stuck = await Promise.all([first, first, second].map(prepareSale))
    const others = await Promise.all([third, third, third].map(prepareSale))
    const rejected = stuck.map((sell) => sell())
    for (const sell of others) expect((await sell()).status).toBe(200)
    expect(await Promise.all(rejected)).toEqual([unavailable, unavailable, unavailable])
    await holder.query('rollback')
    await holder.end()
    expect(await (await prepareSale(first))()).toMatchObject({ status: 200 })
    expect([await farebox.ledger.audit(), farebox.crashes]).toEqual([[], []])
  })
})

describe.skipIf(process.env['TEST_DATABASE_URL'] !== undefined)('a dedicated database', () => {
  it('that is out of space makes the service not ready until there is space', async () => {
    const database = 'current_database()'
    const operator = new pg.Client({ connectionString: postgres.url })
    await operator.connect()
    /** For all connections, which are made anew. */
    const setLimit = async (change: string) => {
      await operator.query(`do $$ begin
        execute format('alter database %I ${change}', ${database});
        perform pg_terminate_backend(pid) from pg_stat_activity
          where datname = ${database} and pid <> pg_backend_pid();
      end $$`)
    }
    const ready = async () => {
      const response = await farebox.service.fetch(new Request(`${origin}/readyz`))
      const { checks } = (await response.json()) as { checks: Record<string, string> }
      return [response.status, checks['database'], checks['disk']]
    }
    expect(await ready()).toEqual([200, 'ok', 'ok'])
    // a full disk rejects the file in the same way
    await setLimit(`set temp_file_limit = ''100kB''`)
    await expect.poll(ready).toEqual([503, 'ok', 'failed'])
    await setLimit('reset temp_file_limit')
    await expect.poll(ready).toEqual([200, 'ok', 'ok'])
    await operator.end()
  })

  it('that restarts leads to 503 with Retry-After and a service that is not ready, counts no crash, and is used again afterwards', async () => {
    const wallet = await farebox.richWallet(1)
    const ready = async () => (await farebox.service.fetch(new Request(`${origin}/readyz`))).status
    expect(await ready()).toBe(200)
    await postgres.crash?.(async () => {
      expect(await ready()).toBe(503)
      expect(await (await prepareSale(wallet))()).toEqual(unavailable)
      expect(await (await prepareSale(wallet))()).toEqual(unavailable)
    })
    expect(await ready()).toBe(200)
    expect(await (await prepareSale(wallet))()).toMatchObject({ status: 200 })
    expect(farebox.crashes).toEqual([])
    expect(farebox.troubles[0]).toMatch(/^database: The database does not respond at the moment: /)
  })
})
