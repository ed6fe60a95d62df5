import { expect, it } from 'vitest'
import { startPostgres } from '@farebox/testing/postgres'
import { migrate } from '../../platform/database/migrate.js'
import { openPostgres } from '../../platform/database/postgres.js'
import { createLedger } from './ledger.js'

it('grants daily credit once per UTC day, even after the time zone of the database has changed (a restore on another server)', async () => {
  const server = await startPostgres()
  const spend = async () => {
    const database = await openPostgres(server.url)
    await migrate(database)
    const ledger = createLedger(database, {
      now: () => Date.parse('2026-01-02T12:00:00Z'),
      id: () => crypto.randomUUID(),
    })
    await ledger.openKeyAccount('key:tram', 0n)
    await ledger.setDailyCredit('key:tram', 100n)
    const { status } = await ledger.hold(
      { account: 'key:tram', amount: 100n, requestId: 'r', modelId: 'm' },
      60_000,
    )
    const days = await database.query('select diem_day as day from hold order by 1')
    await database.close()
    return { status, days: days.map(({ day }) => day) }
  }
  const first = await spend()
  const admin = await openPostgres(server.url)
  const [row] = await admin.query<{ name: string }>('select current_database() as name')
  await admin.query(`alter database "${row?.name}" set timezone = 'America/St_Johns'`)
  await admin.close()
  const second = await spend()
  await server.stop()
  expect([first, second]).toEqual([
    { status: 'held', days: ['2026-01-02'] },
    { status: 'insufficient', days: ['2026-01-02'] },
  ])
})

it.each(['America/St_Johns', 'Pacific/Kiritimati'])(
  'a session in %s spends and reads the daily credit of the same UTC day',
  async (zone) => {
    const server = await startPostgres()
    const url = new URL(server.url)
    url.searchParams.set('options', `-c timezone=${zone}`)
    const [utc, zoned] = [await openPostgres(server.url), await openPostgres(url.href)]
    await migrate(utc)
    expect(await zoned.query('show timezone')).toEqual([{ TimeZone: zone }])
    const now = () => Date.parse('2026-01-02T12:00:00Z')
    const [ledger, other] = [utc, zoned].map((database) =>
      createLedger(database, { now, id: () => crypto.randomUUID() }),
    )
    await ledger?.openKeyAccount('key:tram', 0n)
    await ledger?.setDailyCredit('key:tram', 100n)
    const ride = { account: 'key:tram', amount: 60n, requestId: 'r', modelId: 'm' }
    expect((await other?.hold(ride, 60_000))?.status).toBe('held')
    expect([await ledger?.spendable('key:tram'), await other?.spendable('key:tram')]).toMatchObject(
      [{ diem: 40n }, { diem: 40n }],
    )
    expect((await ledger?.hold(ride, 60_000))?.status).toBe('insufficient')
    expect(await utc.query('select diem_day from hold')).toEqual([{ diem_day: '2026-01-02' }])
    await zoned.close()
    await utc.close()
    await server.stop()
  },
)
