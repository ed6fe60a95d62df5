import { readArguments } from '@farebox/command-line'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { charge } from '../../test/charge.js'
import { openEmptyDatabase } from '../../test/empty-database.js'
import {
  createKeyAdministration,
  type KeyAdministration,
} from '../domain/accounts/key-administration.js'
import { createLedger, type Ledger } from '../domain/ledger/ledger.js'
import { manageKeys } from './manage-keys.js'
import type { Database } from '../platform/database/database.js'
import { readKeySettings } from './settings/manage-settings.js'
import { program } from './settings/program.js'

const now = Date.parse('2026-01-02T03:04:05Z')
let database: Database
let ledger: Ledger
let keys: KeyAdministration
beforeAll(async () => {
  database = await openEmptyDatabase()
  let serial = 0
  ledger = createLedger(database, { now: () => now, id: () => String(++serial) })
  await ledger.grant('key:tram', 1_000_000n)
  keys = createKeyAdministration(database, { now: () => now, pepper: 'p' })
})
afterAll(() => database.close())

/** Runs `farebox-service keys …`. */
async function run(...args: readonly string[]) {
  const invocation = readArguments(program, ['keys', ...args], { environment: {} })
  const settings = 'show' in invocation ? undefined : readKeySettings(invocation.arguments, now)
  if (settings === undefined) throw new Error('It is another command.')
  const written = { out: '', err: '' }
  const output = {
    out: (line: string) => void (written.out += line),
    err: (line: string) => void (written.err += line),
  }
  return { code: await manageKeys(keys, settings, output), ...written }
}

async function createKey(...args: readonly string[]) {
  const { id, secret } = JSON.parse(
    (await run('create', '--account', 'key:tram', '--json', ...args)).out,
  ) as Record<'id' | 'secret', string>
  return { id, secret }
}

describe('farebox-service keys', () => {
  it('prints only the secret when it creates or rotates a key', async () => {
    const created = await run('create', '--account', 'key:tram', '--description', 'bus')
    expect(created).toEqual({
      code: 0,
      out: expect.stringMatching(/^fbx_[\w-]{43}$/) as string,
      err: '',
    })
    const { id, secret } = await createKey()
    const rotated = await run('rotate', id, '--grace', '60')
    expect(rotated.out).toMatch(/^fbx_[\w-]{43}$/)
    expect(rotated.out).not.toBe(secret)
    expect((await run('show', id)).out).toContain('old secret until  2026-01-02T03:05:05.000Z')
  })

  it('changes limits, lists keys by state, and revokes a key', async () => {
    const { id } = await createKey(
      '--limit-usd',
      '5',
      '--period',
      'MONTH',
      '--expires',
      '2027-01-01T00:00:00Z',
    )
    expect(
      (await run('limit', id, '--limit-usd', '0.5', '--limit-diem', '1', '--no-expiry')).out,
    ).toMatch(
      /limit\s+0\.5 USD, 1 diem \(MONTH\)\nconsumed\s+0 USD, 0 diem\nmade by\s+the operator\ncreated/,
    )
    expect((await run('limit', id, '--no-limit')).out).toMatch(/limit\s+none\n/)
    expect((await run('revoke', id, '--json')).out).toContain(
      '"revokedAt": "2026-01-02T03:04:05.000Z"',
    )
    expect(await run('limit', id, '--no-limit')).toEqual({
      code: 1,
      out: '',
      err: `The key ${id} is revoked and cannot be changed. Create another one.`,
    })
    const { out } = await run('list', '--state', 'revoked')
    expect(out.split('\n')).toHaveLength(2)
    expect(out).toContain(`${id}  key:tram  INFERENCE  revoked  never      none`)
  })

  it('prints what a key spent, without escape sequences from descriptions', async () => {
    const { id } = await createKey('--description', '\u001b[2J')
    await charge(ledger, {
      account: 'key:tram',
      keyId: id,
      amount: 1_500n,
      requestId: 'r',
      modelId: 'tts-kokoro',
    })
    expect((await run('usage', id)).out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['DAY', 'MODEL', 'CALLS', 'REFUNDS', 'USD', 'DAILY CREDIT'],
      ['2026-01-02', 'tts-kokoro', '1', '0', '0.001500', '0.000000'],
    ])
    expect((await run('list', '--account', 'key:tram')).out).toContain('\uFFFD[2J')
  })

  it.each([
    [['show'], 'expected the ID of a key'],
    [['list', 'x'], 'ID: found "x", expected nothing after keys list'],
    [['burn', 'x'], 'ACTION: found "burn", expected one of list, show'],
    [['limit', 'x'], 'Nothing to change: give --limit-usd'],
    [
      ['create', '--expires', '2020-01-01T00:00:00Z'],
      '--expires: found "2020-01-01T00:00:00Z", expected a time in the future',
    ],
    // Date.parse takes it for the year 2040
    [['create', '--expires', '40'], '--expires: found "40", expected a time in the future'],
    [['create', '--expires', '2099-02-31'], '--expires: found "2099-02-31", expected a time'],
    [['create', '--expires', '2099-01-01T00:00'], 'such as 2027-01-01T00:00:00Z'],
    [
      ['rotate', 'x', '--grace', '-1'],
      '--grace: found "-1", expected an integer from 0 to 2592000',
    ],
  ])('explains what is wrong with %j', async (args, message) => {
    await expect(run(...args)).rejects.toThrow(message)
  })

  it('says that a key does not exist', async () => {
    expect(await run('show', 'x')).toEqual({
      code: 1,
      out: '',
      err: 'There is no key x. "farebox-service keys list" prints their ids.',
    })
  })
})
