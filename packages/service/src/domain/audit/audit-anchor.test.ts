import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chainAnew } from '../../../test/chain-anew.js'
import { engines } from '../../../test/databases.js'
import type { Database } from '../../platform/database/database.js'
import { migrate } from '../../platform/database/migrate.js'
import { openAppendFile } from '../../platform/line-file.js'
import { createLedger, type Ledger } from '../ledger/ledger.js'
import { createAuditAnchor } from './audit-anchor.js'
import { createLedgerAudit, type LedgerAudit } from './ledger-audit.js'

const now = Date.now()
const nextRound = `delete from setting where name like '%of the ledger audit'`

describe.each(engines)('on $engine', ({ open }) => {
  let folder: string
  let database: Database
  let ledger: Ledger
  let close: () => Promise<void>
  let serial = 0
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'farebox-anchor-'))
    ;({ database, close } = await open())
    await migrate(database)
    ledger = createLedger(database, { now: () => now, id: () => String(++serial).padStart(8, '0') })
  })
  afterAll(async () => {
    await close()
    await rm(folder, { recursive: true })
  })

  const newPath = () => join(folder, `anchor-${++serial}`)
  /** An audit of a process that has just started. */
  const auditWith = async (path: string): Promise<LedgerAudit> =>
    createLedgerAudit(database, {
      now: () => now,
      anchor: await createAuditAnchor(database, await openAppendFile(path), { now: () => now }),
    })
  const linesIn = async (path: string) =>
    (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '')
  const grants = async (account: string, count: number) => {
    for (let place = 0; place < count; place++) await ledger.grant(account, 100n)
  }

  /** Changes the first entry, and then the whole chain and all that the database knows of it. */
  async function rewrite(account: string): Promise<void> {
    const of = `(select id from account where name = $1)`
    const params = [account]
    await database.transaction([
      { sql: 'set local session_replication_role = replica' },
      {
        sql: `update entry set model_id = 'another' where account_id = ${of} and number = 1`,
        params,
      },
      ...chainAnew(account),
    ])
    expect(await createLedgerAudit(database, { now: () => now }).auditAll()).toEqual([])
  }

  it('stores the head of each account that changed, and nothing twice', async () => {
    const path = newPath()
    await grants('key:moves', 2)
    await grants('key:rests', 1)
    expect(await (await auditWith(path)).auditNew()).toEqual([])
    const before = await linesIn(path)
    expect(before.map((line) => (JSON.parse(line) as { account: string }).account)).toEqual(
      expect.arrayContaining(['key:moves', 'key:rests']),
    )
    await grants('key:moves', 1)
    expect(await (await auditWith(path)).auditAll()).toEqual([])
    const added = (await linesIn(path)).slice(before.length)
    expect(added.map((line) => JSON.parse(line) as object)).toEqual([
      {
        at: new Date(now).toISOString(),
        id: expect.stringMatching(/^\d+$/) as string,
        account: 'key:moves',
        entry: '3',
        hash: expect.stringMatching(/^[\da-f]{64}$/) as string,
      },
    ])
  })

  it('detects a chain whose hashes were all recomputed, which the database alone cannot', async () => {
    const path = newPath()
    await grants('key:rewritten', 2)
    await (await auditWith(path)).auditNew()
    await grants('key:rewritten', 1)
    await (await auditWith(path)).auditNew()
    const size = (await linesIn(path)).length
    await rewrite('key:rewritten')
    const fault = `entry 2 or one before it was changed after ${new Date(now).toISOString()}, and the hashes were computed again: the anchor has another hash`
    const faults = await (await auditWith(path)).auditAll()
    expect(faults).toMatchObject([{ account: 'key:rewritten', number: 2n, fault }])
    // no new line makes the change look right
    await grants('key:rewritten', 1)
    expect(await (await auditWith(path)).auditAll()).toHaveLength(1)
    expect(await linesIn(path)).toHaveLength(size)
  })

  it('is compared in each audit round of a service: in full at first, then for accounts that changed', async () => {
    const path = newPath()
    await grants('key:live', 2)
    const audit = await auditWith(path)
    await database.query(nextRound)
    await audit.round(0)
    await rewrite('key:live')
    await grants('key:live', 1)
    await database.query(nextRound)
    expect(await audit.round(0)).toMatchObject([{ account: 'key:live', number: 2n }])
    expect(await audit.countFaults()).toBeGreaterThan(0)
    await database.query('delete from ledger_fault')
    await database.query(nextRound)
    expect(await (await auditWith(path)).round(0)).toMatchObject([
      { account: 'key:live', number: 2n },
    ])
  })

  it('detects missing accounts and entries', async () => {
    const path = newPath()
    await grants('key:gone', 2)
    await (await auditWith(path)).auditNew()
    const of = `(select id from account where name = 'key:gone')`
    await database.transaction([
      { sql: 'set local session_replication_role = replica' },
      ...['entry', 'audited_account', 'ledger_fault'].map((table) => ({
        sql: `delete from ${table} where account_id = ${of}`,
      })),
      { sql: `delete from account where name = 'key:gone'` },
    ])
    expect(await (await auditWith(path)).auditNew()).toContainEqual(
      expect.objectContaining({
        account: 'key:gone',
        fault: `entry 2 is gone, which the anchor has of ${new Date(now).toISOString()}`,
      }),
    )
  })

  it('continues after a truncated line, and rejects any other file', async () => {
    const path = newPath()
    await grants('key:cut', 1)
    await (await auditWith(path)).auditNew()
    await appendFile(path, '{"at":"2026-')
    await grants('key:cut', 1)
    await (await auditWith(path)).auditNew()
    const lines = await linesIn(path)
    expect(lines.slice(-2)).toEqual([
      '{"at":"2026-',
      expect.stringContaining('"account":"key:cut","entry":"2"'),
    ])
    const other = newPath()
    await writeFile(other, 'Tram fares\n')
    await expect(auditWith(other)).rejects.toThrow('is not an anchor and was not changed')
  })
})
