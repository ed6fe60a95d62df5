import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { charge } from '../../../test/charge.js'
import { engines, type OpenDatabase } from '../../../test/databases.js'
import { openBareDatabase, openEmptyDatabase } from '../../../test/empty-database.js'
import type { Database, Statements } from '../../platform/database/database.js'
import { migrate } from '../../platform/database/migrate.js'
import { migrations } from '../../platform/database/migrations.js'
import { createLedger } from '../ledger/ledger.js'
import { createVideoJobs } from '../video/jobs.js'
import { readBackup, writeBackup } from './backup-file.js'
import { readDatabase } from './read-database.js'
import { checkBackup, restoreBackup } from './restore-backup.js'

const now = () => Date.parse('2026-01-02T03:04:05.678Z')
let serial = 0
const openLedger = (database: Database) =>
  createLedger(database, { now, id: () => `id-${String(++serial).padStart(6, '0')}` })
const createPurchase = (account: string) => ({ account, amount: 7n, requestId: 'r', modelId: 'm' })

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'farebox-backup-'))))
afterAll(() => rm(folder, { recursive: true, force: true }))
const createBackupPath = () => join(folder, `${++serial}.backup`)

async function restoreFile(database: Database, file: string) {
  return restoreBackup(database, await checkBackup(() => readBackup(file)), () => readBackup(file))
}

/** Bytes as text: the engines read them as different classes. */
const toHexRow = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => [
      name,
      value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
    ]),
  )

/** Every row that both engines and both programs must agree on. */
async function readContent(database: Database) {
  const read = async (table: string, columns = '*') =>
    (await database.query(`select ${columns} from ${table} order by 1`)).map(toHexRow)
  return {
    account: await read('account'),
    entry: await read('entry'),
    hold: await read('hold'),
    setting: await read('setting'),
    input: await read('video_input'),
    response: await read('response_part', 'number, content'),
    key: await read('api_key'),
    job: await read('video_job', 'id, state, price, seconds, created_at'),
  }
}

describe.each(
  engines.map((from, index) => ({
    from,
    to: engines[1 - index] ?? from,
    name: `${from.engine}, and restored on the other`,
  })),
)('a backup of $name', ({ from, to }) => {
  let source: OpenDatabase
  let target: OpenDatabase
  beforeEach(async () => {
    source = await from.open()
    target = await to.open()
    await migrate(source.database)
  })
  afterEach(async () => {
    await source.close()
    await target.close()
  })

  it('contains all rows unchanged, and restores on the engine that it came from', async () => {
    const { database } = source
    const ledger = openLedger(database)
    await ledger.openKeyAccount('key:tram', 9_007_199_254_740_993n)
    await charge(ledger, createPurchase('key:tram'))
    await ledger.hold(createPurchase('key:tram'), 60_000)
    await database.query(`insert into setting (name, value) values ('key_pepper', $1)`, [
      'line\none "two" \\ ü\u2028',
    ])
    await database.query(
      `insert into api_key (id, account_id, type, secret_hash, description, limit_period, created_at, ancestors)
         select gen_random_uuid(), id, 'ADMIN', 'h', '', 'EPOCH', '2026-01-02T03:04:05.123456Z', array[gen_random_uuid()] from account`,
    )
    await database.query(
      `insert into keyed_request (account, operation, key, fingerprint, lease_until, created_at) values ('a', 'o', 'k', 'f', now(), now())`,
    )
    await database.query(
      `insert into response_part (keyed_request_id, run, number, content) select id, 1, 0, $1 from keyed_request`,
      [Uint8Array.from({ length: 256 }, (_, index) => index)],
    )
    const jobs = createVideoJobs(database, ledger, now)
    const order = { request: { prompt: 'x'.repeat(300_000) }, seconds: 0.1, isPrivate: false }
    await jobs.add({
      ...order,
      purchase: createPurchase('key:tram'),
      idempotency: { key: 'v', fingerprint: 'f' },
    })

    const file = createBackupPath()
    const head = await writeBackup(readDatabase(await source.session()), file)
    expect(head.point).toMatchObject({
      accounts: 1,
      entries: 2,
      balance: '9007199254740986',
      hasPepper: true,
      videos: 0,
    })
    expect(head.point.last).toMatchObject({ account: 'key:tram', time: '2026-01-02T03:04:05.678Z' })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await restoreFile(target.database, file)).toEqual([])
    expect(await readContent(target.database)).toEqual(await readContent(database))

    const back = createBackupPath()
    await writeBackup(readDatabase(await target.session()), back)
    const again = await from.open()
    expect(await restoreFile(again.database, back)).toEqual([])
    expect(await readContent(again.database)).toEqual(await readContent(database))
    await again.close()

    // new rows follow the restored ones, and the rules of the tables are in force again
    const ledgerAfter = openLedger(target.database)
    await ledgerAfter.openKeyAccount('key:bus', 10n)
    await charge(ledgerAfter, createPurchase('key:tram'))
    expect(await ledgerAfter.audit()).toEqual([])
    await expect(target.database.query('update entry set amount = 1')).rejects.toThrow(
      'entries of the ledger are never changed',
    )
    await expect(target.database.query('delete from account')).rejects.toThrow('foreign key')
  })

  it('is a snapshot: excludes concurrent charges and does not block them', async () => {
    const ledger = openLedger(source.database)
    await ledger.openKeyAccount('key:tram', 1_000_000n)
    for (let count = 0; count < 5; count++) await charge(ledger, createPurchase('key:tram'))
    const earlier = createBackupPath()
    const session = await source.session()
    // the embedded engine runs nothing else within a transaction
    const riding = async function* (statements: Statements) {
      for await (const statement of statements) {
        if (from.engine === 'PostgreSQL') await charge(ledger, createPurchase('key:tram'))
        yield statement
      }
    }
    await writeBackup(
      readDatabase({
        ...session,
        transaction: (statements) => session.transaction(riding(statements)),
      }),
      earlier,
    )
    expect(await restoreFile(target.database, earlier)).toEqual([])

    const spent = await ledger.balance('key:tram')
    const lines = readDatabase(session)
    const first = (await lines.next()).value as string
    const during = async function* () {
      yield first
      for await (const line of lines) {
        expect(await charge(ledger, createPurchase('key:tram'))).toMatchObject({
          status: 'captured',
        })
        yield line
      }
    }
    const file = createBackupPath()
    const { point } = await writeBackup(during(), file)
    expect(point.balance).toBe(String(spent))
    const other = await to.open()
    expect(await restoreFile(other.database, file)).toEqual([])
    expect(await openLedger(other.database).balance('key:tram')).toBe(spent)
    await other.close()
    expect(await ledger.balance('key:tram')).toBeLessThan(spent - 70n)
    expect(await ledger.audit()).toEqual([])
  })

  it('restores only to an empty database, and leaves it empty after a failed restore', async () => {
    const ledger = openLedger(source.database)
    await ledger.openKeyAccount('key:tram', 10n)
    const file = createBackupPath()
    await writeBackup(readDatabase(await source.session()), file)
    await expect(restoreFile(source.database, file)).rejects.toThrow(
      'The database is not empty: its table account has rows.',
    )

    const lines = gunzipSync(await readFile(file))
      .toString()
      .split('\n')
    const head = await checkBackup(() => readBackup(file))
    const broken = async function* () {
      yield* lines.slice(0, -2)
      throw new Error('The disk is gone.')
    }
    await expect(restoreBackup(target.database, head, broken)).rejects.toThrow('The disk is gone.')
    expect(await restoreFile(target.database, file)).toEqual([])
  })
})

describe('a backup file', () => {
  let database: Database
  let file: string
  let lines: readonly string[]
  beforeAll(async () => {
    database = await openEmptyDatabase()
    await openLedger(database).openKeyAccount('key:tram', 10n)
    file = createBackupPath()
    await writeBackup(readDatabase(database), file)
    lines = gunzipSync(await readFile(file))
      .toString()
      .trimEnd()
      .split('\n')
  })
  afterAll(() => database.close())

  const check = (path: string) => checkBackup(() => readBackup(path))
  const changedTo = async (text: string) => {
    const path = createBackupPath()
    await writeFile(path, gzipSync(text))
    return path
  }

  it('is rejected when it is cut off anywhere', async () => {
    const { size } = await stat(file)
    for (const length of [1, Math.floor(size / 2), size - 9, size - 1]) {
      const cut = createBackupPath()
      await writeFile(cut, await readFile(file))
      await truncate(cut, length)
      await expect(check(cut), `${length} bytes`).rejects.toThrow(/is cut off/)
    }
    for (let count = 1; count < lines.length; count++) {
      await expect(check(await changedTo(lines.slice(0, count).join('\n')))).rejects.toThrow(
        'The backup is cut off: its end is missing.',
      )
    }
  })

  it('is rejected when any byte was changed', async () => {
    const bytes = await readFile(file)
    const middle = bytes.length >> 1
    bytes[middle] = (bytes[middle] ?? 0) ^ 1
    const path = createBackupPath()
    await writeFile(path, bytes)
    await expect(check(path)).rejects.toThrow(/(?:has been|was) changed/)
    const richer = lines.join('\n').replace('"balance":10', '"balance":99')
    await expect(check(await changedTo(richer))).rejects.toThrow(
      'The backup has been changed: its checksum is of other lines.',
    )
    await expect(check(await changedTo(`${lines.join('\n')}\n{}\n`))).rejects.toThrow(
      'something follows its end',
    )
  })

  it('is rejected when it is not a backup, or newer than the program', async () => {
    await expect(check(join(folder, 'none'))).rejects.toThrow(
      'cannot be read: there is no such file.',
    )
    await writeFile(join(folder, 'text'), 'Tram fares')
    await expect(check(join(folder, 'text'))).rejects.toThrow('is not a backup')
    await expect(check(await changedTo('{}\n'))).rejects.toThrow(
      'This is not a backup of farebox-service.',
    )
    await expect(
      check(await changedTo('{"format":"farebox-backup","version":2}\n')),
    ).rejects.toThrow('Restore it with a newer program.')
    const newer = createBackupPath()
    await database.query(`insert into migration (id, name) values (9999, 'newer')`)
    await writeBackup(readDatabase(database), newer)
    await database.query('delete from migration where id = 9999')
    await expect(check(newer)).rejects.toThrow(
      'The backup has migration 9999, this program knows up to',
    )
  })

  it('never overwrites another one', async () => {
    await expect(writeBackup(readDatabase(database), file)).rejects.toThrow(
      `The file ${file} is there already.`,
    )
    expect(await check(file)).toMatchObject({ point: { accounts: 1 } })
  })

  it('of an older version is migrated', async () => {
    const steps = [
      ...migrations,
      { id: 1001, name: 'partners', statements: ['update account set partner = true'] },
    ]
    const fresh = await openBareDatabase()
    expect(await restoreBackup(fresh, await check(file), () => readBackup(file), steps)).toEqual([])
    expect(await fresh.query('select name, partner from account')).toEqual([
      { name: 'key:tram', partner: true },
    ])
    await fresh.close()
  })
})
