import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.js'
import type { Database } from '../../platform/database/database.js'
import { migrate } from '../../platform/database/migrate.js'
import { openProcessLease } from '../ledger/process-lease.js'
import { purgeResponses, defaultRetention } from '../retention.js'
import {
  claimLifetimeMs,
  createKeyedRequests,
  type Claim,
  type KeyedRequests,
  type KeyedRequestsOptions,
} from './keyed-requests.js'

const kibibyte = 1024
const head = { status: 200, headers: { 'content-type': 'audio/wav' } }

describe.each(engines)('on $engine', ({ open }) => {
  let database: Database
  let close: () => Promise<void>
  let now = Date.parse('2026-01-02T03:04:05Z')
  let serial = 0
  beforeAll(async () => {
    ;({ database, close } = await open())
    await migrate(database)
    for (const id of ['one', 'other']) await openProcessLease(database, id, false)
  })
  afterAll(() => close())

  const createProcess = (processId: string, options: Partial<KeyedRequestsOptions> = {}) =>
    createKeyedRequests(database, { now: () => now, secret: 's', processId, ...options })
  const keyed = (key: string, account = '0xa') => ({ account, operation: 'createSpeech', key })
  const claim = (requests: KeyedRequests, key: string, account?: string, fingerprint = 'f') =>
    requests.claim(keyed(key, account), { requestId: `req_${++serial}`, fingerprint })
  const claimed = async (...parameters: Parameters<typeof claim>): Promise<Claim> => {
    const result = await claim(...parameters)
    if (result.status !== 'claimed') throw new Error(result.status)
    return result.claim
  }
  const stored = async (...parameters: Parameters<typeof claim>): Promise<Buffer> => {
    const result = await claim(...parameters)
    if (result.status !== 'stored') throw new Error(result.status)
    return Buffer.from(await new Response(result.response.body).arrayBuffer())
  }
  const store = async (one: Claim, ...parts: readonly Uint8Array[]) => {
    const writer = one.store()
    for (const part of parts) await writer.write(part)
    await writer.end(head)
  }

  it('lets one of many requests of two processes work at a time, then the next', async () => {
    const processes = [createProcess('one'), createProcess('other')]
    for (let round = 1; round <= 3; round++) {
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          claim(processes[index % 2] ?? createProcess('one'), 'many'),
        ),
      )
      const winners = all.flatMap((result) => (result.status === 'claimed' ? [result.claim] : []))
      expect([winners.length, all.filter(({ status }) => status === 'running').length]).toEqual([
        1, 19,
      ])
      expect(winners[0]?.run).toBe(round)
      await winners[0]?.rest()
    }
  })

  it('returns a response of any length byte for byte, however it was written in parts', async () => {
    const bytes = Buffer.from(
      Array.from({ length: 700 * kibibyte }, (_, index) => (index * 7919) % 251),
    )
    for (const [length, piece] of [
      [0, 1],
      [1, 1],
      [256 * kibibyte, 1000],
      [256 * kibibyte + 1, 256 * kibibyte],
      [700 * kibibyte, 700 * kibibyte],
    ] as const) {
      const key = `bytes-${length}`
      const one = await claimed(createProcess('one'), key)
      const writer = one.store()
      for (let start = 0; start < length; start += piece)
        await writer.write(bytes.subarray(start, Math.min(length, start + piece)))
      // it is not there before its end
      expect(await claim(createProcess('other'), key)).toEqual({ status: 'running' })
      await writer.end(head)
      expect(
        (await stored(createProcess('other'), key)).equals(bytes.subarray(0, length)),
        key,
      ).toBe(true)
    }
  })

  it('applies only to the same request, key, account and secret', async () => {
    const requests = createProcess('one')
    await store(await claimed(requests, 'mine'), Buffer.from('text'))
    expect(await claim(requests, 'mine', undefined, 'g')).toEqual({ status: 'other request' })
    expect(await requests.isKnown(keyed('mine'))).toBe(true)
    for (const other of [
      keyed('mine', '0xb'),
      keyed('mine '),
      { ...keyed('mine'), operation: 'parseText' },
    ])
      expect(await requests.isKnown(other)).toBe(false)
    // nor is a row opened that was moved to another account, or is of another secret
    await database.query(
      `update keyed_request set account = '0xb' where account = '0xa' and bytes > 0`,
    )
    expect((await claim(requests, 'mine', '0xb')).status).toBe('claimed')
    await store(await claimed(requests, 'kept'), Buffer.from('text'))
    expect((await claim(createProcess('one', { secret: 'new' }), 'kept')).status).toBe('claimed')
  })

  it('stores neither the response nor the key in plain text', async () => {
    await store(
      await claimed(createProcess('one'), 'order-2026-xylophone'),
      Buffer.from('The conductor whispers'),
      Buffer.from('xylophone'),
    )
    const rows = await database.query<{ row: string }>(
      `select t::text as row from keyed_request t union all select t::text from response_part t`,
    )
    const text = rows.map(({ row }) => row).join('\n')
    expect(text).toContain('createSpeech')
    for (const word of ['conductor', 'xylophone', 'audio/wav']) {
      expect(text).not.toContain(word)
      expect(text).not.toContain(Buffer.from(word).toString('hex'))
    }
  })

  it('hands the claim of a process that died or never finishes to another request', async () => {
    await openProcessLease(database, 'dying', false)
    const lost = [
      await claimed(createProcess('dying'), 'lost-1'),
      await claimed(createProcess('one'), 'lost-2'),
    ]
    await database.query(`delete from process where id = 'dying'`)
    const [first, , early] = [
      await claim(createProcess('one'), 'lost-1'),
      undefined,
      await claim(createProcess('other'), 'lost-2'),
    ]
    expect([first.status, early.status]).toEqual(['claimed', 'running'])
    now += claimLifetimeMs
    const second = await claimed(createProcess('other'), 'lost-2')
    // what the first ones write late is nobody's
    for (const one of lost) await store(one, Buffer.alloc(300 * kibibyte, 1))
    for (const one of lost) await one.forget()
    expect(second.run).toBe(2)
    await store(second, Buffer.from('second'))
    expect(String(await stored(createProcess('one'), 'lost-2'))).toBe('second')
  })

  it('counts runs, except those that are given back', async () => {
    const requests = createProcess('one')
    const runs = []
    for (const end of [
      'rest',
      'giveBack',
      'giveBack',
      'rest',
      'forget',
      'giveBack',
      'rest',
    ] as const) {
      const one = await claimed(requests, 'counted')
      runs.push(one.run)
      await one[end]()
    }
    expect(runs).toEqual([1, 2, 2, 2, 3, 1, 1])
  })

  it('deletes a response after 24 hours, with all of its parts', async () => {
    const requests = createProcess('one')
    await store(await claimed(requests, 'daily'), Buffer.alloc(600 * kibibyte))
    now += defaultRetention.responses - 1
    await purgeResponses(database, now)
    expect(await stored(requests, 'daily')).toHaveLength(600 * kibibyte)
    now += 1
    // one at a time, and all of them
    await purgeResponses(database, now, defaultRetention, 1)
    const [left] = await database.query(
      'select (select count(*) from keyed_request) as requests, (select count(*) from response_part) as parts',
    )
    expect(left).toEqual({ requests: 0n, parts: 0n })
  })

  it('does not store a response that is too large, and leaves nothing of it', async () => {
    const requests = createProcess('one', { limits: { perResponse: 300 * kibibyte } })
    await store(await claimed(requests, 'fits'), Buffer.alloc(300 * kibibyte))
    await store(
      await claimed(requests, 'large'),
      Buffer.alloc(200 * kibibyte),
      Buffer.alloc(100 * kibibyte),
      Buffer.alloc(1),
    )
    expect(await stored(requests, 'fits')).toHaveLength(300 * kibibyte)
    expect(await requests.isKnown(keyed('large'))).toBe(false)
    expect(
      (await database.query('select distinct keyed_request_id from response_part')).length,
    ).toBe(1)
  })

  it('evicts the oldest responses: of the account beyond its limit, of all accounts beyond that of the service', async () => {
    await database.query('delete from keyed_request')
    const requests = createProcess('one', {
      limits: { perCaller: 64 * kibibyte, inTotal: 96 * kibibyte },
    })
    const known = async (account: string) => {
      const keys = Array.from({ length: 6 }, (_, index) => `k${index}`)
      const found = await Promise.all(keys.map((key) => requests.isKnown(keyed(key, account))))
      return keys.filter((_, index) => found[index])
    }
    const add = async (account: string, key: string, length: number) =>
      store(await claimed(requests, key, account), Buffer.alloc(length))
    for (const key of ['k0', 'k1', 'k2', 'k3']) await add('0xa', key, 1)
    expect(await known('0xa')).toEqual(['k0', 'k1', 'k2', 'k3'])
    await add('0xa', 'k4', 20 * kibibyte)
    // 16 KiB is the least that counts
    expect(await known('0xa')).toEqual(['k2', 'k3', 'k4'])
    await add('0xb', 'k0', 60 * kibibyte)
    expect([await known('0xa'), await known('0xb')]).toEqual([['k3', 'k4'], ['k0']])
    // what is larger than the bound of its account pushes nothing out
    await add('0xb', 'k1', 65 * kibibyte)
    expect([await known('0xa'), await known('0xb')]).toEqual([['k3', 'k4'], ['k0']])
    const [{ bytes } = { bytes: 0n }] = await database.query<{ bytes: bigint }>(
      'select sum(bytes)::bigint as bytes from keyed_request',
    )
    expect(bytes).toBe(BigInt(96 * kibibyte))
  })
})
