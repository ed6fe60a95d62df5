import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPackages } from '@farebox/testing/install-package'
import { startOwnPostgres, type OwnPostgres } from '@farebox/testing/postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findWrongCharges, prepareLoad, startLoad } from '../../test/charged-load.js'
import { createCommand, waitForAddress, startFailure } from '../../test/command.js'
import { startPgbouncer, type Pgbouncer } from '../../test/pgbouncer.js'
import { startScripted, type ScriptedUpstream } from '../../test/scripted-upstream.js'
import type { Database } from '../platform/database/database.js'
import { openPostgres } from '../platform/database/postgres.js'

const folder = mkdtempSync(join(tmpdir(), 'farebox-pooled-'))
const ends: (() => unknown)[] = []
let upstream: ScriptedUpstream
let server: OwnPostgres
let direct: Database
let pooler: Pgbouncer
let environment: NodeJS.ProcessEnv
beforeAll(async () => {
  await installPackages(['pgbouncer'], ['pgbouncer'])
  upstream = await startScripted()
  environment = prepareLoad(folder, upstream)
})
beforeEach(async () => {
  server = await startOwnPostgres()
  direct = await openPostgres(server.url)
})
const command = createCommand(
  () => folder,
  () => ({ ...environment, FAREBOX_DATABASE_URL: pooler.url }),
)
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
  await command.killAll()
  await pooler.stop()
  await direct.close()
  await server.stop()
})
afterAll(() => {
  upstream.close()
  rmSync(folder, { recursive: true })
})

const settings = ['idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout']
/** Of pgbouncer: what a session asks for is accepted, and has no effect. */
const ignored = `ignore_startup_parameters=options,extra_float_digits,${settings.join(',')}`

describe.each([
  { name: 'as Debian configures it', lines: [] },
  { name: 'that ignores the settings of sessions', lines: [ignored] },
])('behind pgbouncer $name', ({ lines }) => {
  beforeEach(async () => void (pooler = await startPgbouncer(server.url, lines)))

  it('a service names the settings that its role needs, and then charges each call once', async () => {
    await direct.query(`alter role postgres set timezone = 'Europe/Zurich'`)
    const rejected = await startFailure(command.start('--port', '0'))
    const changes = rejected.match(/alter role "postgres" set [^;]+;/g) ?? []
    expect(changes.map((change) => change.replace(/\d+ms/, 'N'))).toEqual(
      ["TimeZone = 'UTC';", ...settings.map((name) => `${name} = 'N';`)].map(
        (change) => `alter role "postgres" set ${change}`,
      ),
    )
    for (const change of changes) await direct.query(change)
    await pooler.stop()
    pooler = await startPgbouncer(server.url, lines)

    // one of them migrates
    const origins = await Promise.all(
      [0, 1].map(() => waitForAddress(command.start('--port', '0'))),
    )
    const load = startLoad(origins)
    ends.push(load.stop)
    await expect.poll(() => load.seen.length).toBeGreaterThan(300)
    await load.stop()
    const outcomes = load.seen.map(({ status, isWhole }) => `${status} ${isWhole}`)
    expect([...new Set(outcomes)]).toEqual(['200 true'])
    await expect.poll(() => findWrongCharges(direct, load.seen)).toEqual([])
    expect(await command.run('audit')).toMatchObject({ code: 0 })
    expect(await command.run('usage', '-o', '-')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Give the URL of PostgreSQL itself') as string,
    })
  })
})
