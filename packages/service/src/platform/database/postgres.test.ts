import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startPostgres, type TestPostgres } from '@farebox/testing/postgres'
import type { Database } from './database.js'
import { migrate } from './migrate.js'
import { migrations, type Migration } from './migrations.js'
import { openPostgres } from './postgres.js'

let server: TestPostgres
let database: Database
beforeAll(async () => {
  server = await startPostgres()
  database = await openPostgres(server.url)
})
afterAll(async () => {
  await database.close()
  await server.stop()
})

describe('openPostgres', () => {
  it('returns 64-bit integers as bigint and timestamps as Date', async () => {
    const [row] = await database.query(
      `select 9007199254740993::bigint as n, '2026-01-02T03:04:05Z'::timestamptz as t, $1::bigint as p`,
      [2n ** 60n],
    )
    expect(row).toEqual({ n: 9007199254740993n, t: new Date('2026-01-02T03:04:05Z'), p: 2n ** 60n })
  })

  it('continues when a table of prepared statements is altered', async () => {
    await database.query('create table changed (n integer)')
    await database.query('insert into changed values (1)')
    const look = () =>
      Promise.all(Array.from({ length: 10 }, () => database.query('select * from changed')))
    expect(new Set((await look()).flat().map((row) => JSON.stringify(row)))).toEqual(
      new Set(['{"n":1}']),
    )
    await database.query('alter table changed add m text')
    expect(new Set((await look()).flat().map((row) => JSON.stringify(row)))).toEqual(
      new Set(['{"n":1,"m":null}']),
    )
  })

  it('keeps the connection of a statement that the server rejects', async () => {
    const single = await openPostgres(server.url, { connections: 1 })
    const readPid = async () => (await single.query('select pg_backend_pid() as pid'))[0]?.['pid']
    const pid = await readPid()
    await expect(single.query('select 1 / $1::integer', [0])).rejects.toMatchObject({
      code: '22012',
    })
    expect(await readPid()).toBe(pid)
    await single.close()
  })

  it('does all of a transaction or nothing', async () => {
    await database.query('create table half (n integer)')
    await expect(
      database.transaction([
        { sql: 'insert into half values (1)' },
        { sql: 'insert into nowhere values (1)' },
      ]),
    ).rejects.toThrow('nowhere')
    expect(await database.query('select * from half')).toEqual([])
  })

  it('cancels a statement that takes too long, but no migration, with a retryable error', async () => {
    // a busy machine takes a while for any statement
    const hurried = await openPostgres(server.url, { statementMs: 2_000 })
    const slow = { sql: 'select pg_sleep(2.2)' }
    await expect(hurried.query(slow.sql)).rejects.toMatchObject({
      name: 'DatabaseUnavailableError',
      code: '57014',
    })
    await hurried.transaction([slow])
    await expect(hurried.query('select 1 / 0')).rejects.not.toHaveProperty(
      'name',
      'DatabaseUnavailableError',
    )
    await hurried.close()
  })

  describe('with several hosts', () => {
    const dead = '127.0.0.1:1'
    /** Another database of the server, after a host where nothing listens. */
    async function openBoth(): Promise<readonly [Database, (setting: string) => Promise<void>]> {
      const own = await startPostgres()
      const { host, pathname } = new URL(own.url)
      const both = await openPostgres(
        `postgres://postgres@${dead},${host}${pathname}?target_session_attrs=read-write`,
      )
      const admin = await openPostgres(own.url)
      onTestFinished(async () => {
        await Promise.all([both.close(), admin.close()])
        await own.stop()
      })
      const name = pathname.slice(1)
      const set = async (value: string) => {
        await admin.query(`alter database ${name} set default_transaction_read_only = ${value}`)
      }
      return [both, set]
    }

    it('uses the one that accepts writes, and returns to it once it accepts them again', async () => {
      const [both, setReadOnly] = await openBoth()
      expect(await both.query('select 1 as n')).toEqual([{ n: 1 }])
      await setReadOnly('on')
      const endAll = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()`
      await both.query(endAll).catch(() => undefined)
      await expect(both.query('select 1 as n')).rejects.toMatchObject({
        name: 'DatabaseUnavailableError',
        message: expect.stringMatching(
          /the server is not read-write; connect ECONNREFUSED 127\.0\.0\.1:1$/,
        ) as string,
      })
      await setReadOnly('off')
      expect(await both.query('select 1 as n')).toEqual([{ n: 1 }])
    })

    it('names all of them if none can be used', async () => {
      await expect(openPostgres(`postgres://${dead},${dead}/ledger`)).rejects.toThrow(
        /^The database ledger at 127\.0\.0\.1:1, 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/,
      )
    })
  })

  it('closes a connection to a server that became read-only, with a retryable error', async () => {
    const one = await openPostgres(server.url, { connections: 1 })
    onTestFinished(one.close)
    const readPid = async () => (await one.query('select pg_backend_pid() as pid'))[0]?.['pid']
    const before = await readPid()
    expect(await readPid()).toBe(before)
    await one.query('set default_transaction_read_only = on')
    await expect(one.query('create table gone (n integer)')).rejects.toMatchObject({
      name: 'DatabaseUnavailableError',
      code: '25006',
    })
    expect(await readPid()).not.toBe(before)
    await one.query('create table there (n integer)')
  })

  it('names the unreachable server without its password', async () => {
    const failure = openPostgres('postgres://user:s3cret@127.0.0.1:1/ledger')
    await expect(failure).rejects.toThrow(
      /^The database ledger at 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED.*--database-url/,
    )
    await expect(failure).rejects.not.toThrow('s3cret')
  })
})

describe('migrate', () => {
  it('runs once for ten processes that start together', async () => {
    await Promise.all(Array.from({ length: 10 }, () => migrate(database)))
    expect(
      await database.query('select count(*)::int as count, max(id) as last from migration'),
    ).toEqual([{ count: migrations.length, last: migrations.at(-1)?.id }])
  })

  it('runs once for processes that start together on an engine without advisory locks', async () => {
    const processes = await Promise.all(
      Array.from({ length: 4 }, () => openPostgres(server.url, { connections: 1 })),
    )
    const withoutLock = processes.map((opened): Database => ({
      ...opened,
      transaction: async (statements) => {
        const others = []
        for await (const one of statements) if (!one.sql.includes('advisory')) others.push(one)
        await opened.transaction(others)
      },
    }))
    const migrateAll = async (steps: readonly Migration[]) => {
      await database.query('drop schema public cascade')
      await database.query('create schema public')
      await Promise.all(withoutLock.map((opened) => migrate(opened, steps)))
      expect(await database.query('select id from migration order by id')).toEqual(
        steps.map(({ id }) => ({ id })),
      )
    }
    // the conflicts differ from round to round
    const small = { id: 1, name: 'small', statements: ['create table small (n integer)'] }
    for (let round = 0; round < 40; round += 1) await migrateAll([small])
    await migrateAll(migrations)
    await Promise.all(processes.map(({ close }) => close()))
  })
})
