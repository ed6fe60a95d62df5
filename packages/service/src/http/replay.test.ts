import { randomBytes } from 'node:crypto'
import { sampleCases } from '@farebox/testing/rounds'
import { afterEach, describe, expect, it } from 'vitest'
import { openEmptyDatabase } from '../../test/empty-database.js'
import {
  adminKey,
  inlineParser,
  origin,
  startService,
  type Harness,
  type TestWallet,
} from '../../test/harness.js'
import { makeMortal } from '../../test/make-mortal.js'
import type { ServiceOptions } from '../app/create-service.js'
import { purgeResponses, purge, defaultRetention } from '../domain/retention.js'
import { mediaTypes, type SpeechRequest } from '../domain/speech/speech-backend.js'

const asAdmin = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
/** 6 characters at 3.5 USD a million. */
const price = 21n

let farebox: Harness
afterEach(() => farebox.service.close())

/** A backend that never says a text in the same way twice. */
function createVaryingBackend(lengths: readonly number[] = [100, 0, 2_000]) {
  const calls: SpeechRequest[] = []
  async function* speak(request: SpeechRequest) {
    calls.push(request)
    for (const length of lengths) yield { bytes: randomBytes(length), made: request.text.length }
  }
  return { calls, speech: { describe: () => 'takes', speak, close: async () => undefined } }
}

async function start(options: Partial<ServiceOptions>) {
  farebox = await startService(options)
}

const say = (key: string, body: object = {}, headers: object = asAdmin, harness = farebox) =>
  harness.call('createSpeech', '/audio/speech', {
    method: 'POST',
    body: JSON.stringify({ input: 'Trams.', ...body }),
    headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': key },
  })

const parse = (key: string, text = 'Tram fares') => {
  const body = new FormData()
  body.append('file', new Blob([text]), 'a.txt')
  const headers = { authorization: asAdmin.authorization, 'idempotency-key': key }
  return farebox.call('parseText', '/augment/text-parser', { method: 'POST', body, headers })
}

const readPaid = async () => 100_000_000n - (await farebox.ledger.balance('key:admin'))
const readReplayMark = ({ headers }: { readonly headers: Headers }) =>
  headers.get('idempotent-replayed')

describe('a retry with the same Idempotency-Key', () => {
  it.each(sampleCases(Object.entries(mediaTypes)))(
    '50 times makes one upstream call, one charge and returns the same bytes: %s',
    async (format, type) => {
      // in one part, and in several
      const length = format === 'wav' ? 300_000 : 3_000
      const { calls, speech } = createVaryingBackend([length, 0, length, 1])
      await start({ speech })
      const first = await say('one', { response_format: format })
      expect([
        first.status,
        first.bytes.length,
        readReplayMark(first),
        first.headers.get('content-type'),
      ]).toEqual([200, 2 * length + 1, null, type])
      for (let count = 1; count <= 50; count++) {
        // beyond the limits of a minute
        farebox.clock.time += 61_000
        const again = await say('one', { response_format: format })
        expect([
          again.status,
          readReplayMark(again),
          Buffer.from(again.bytes).equals(first.bytes),
        ]).toEqual([200, 'true', true])
        for (const name of ['content-type', 'x-farebox-backend'])
          expect(again.headers.get(name)).toBe(first.headers.get(name))
        expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
      }
      expect([calls.length, await readPaid()]).toEqual([1, price])
      expect(farebox.crashes).toEqual([])
    },
  )

  it('shows the current balance, even to an empty wallet', async () => {
    const { speech } = createVaryingBackend()
    await start({ speech })
    const wallet = await farebox.richWallet(0.000042)
    const as = async (one: TestWallet) => farebox.signIn(one)
    const balances = []
    for (const key of ['a', 'a', 'b', 'a', 'b']) {
      const { status, headers } = await say(key, {}, await as(wallet))
      balances.push([
        status,
        headers.get('x-balance-remaining'),
        headers.get('idempotent-replayed'),
      ])
    }
    expect(balances).toEqual([
      [200, '0.000021', null],
      [200, '0.000021', 'true'],
      [200, '0.000000', null],
      [200, '0.000000', 'true'],
      [200, '0.000000', 'true'],
    ])
    // a key is its account's own
    expect(
      (await say('a', {}, await as(await farebox.richWallet()))).headers.get('idempotent-replayed'),
    ).toBeNull()
  })

  it('is replayed for 24 hours, then 409 with what was charged, and charged again after seven days', async () => {
    const { calls, speech } = createVaryingBackend()
    await start({ speech })
    await say('one')
    const [entry] = (await farebox.ledger.entries('key:admin', { limit: 1, offset: 0 })).entries
    farebox.clock.time += defaultRetention.responses - 1
    await purgeResponses(farebox.database, farebox.clock.time)
    expect(readReplayMark(await say('one'))).toBe('true')
    farebox.clock.time += 1
    await purgeResponses(farebox.database, farebox.clock.time)
    for (let count = 1; count <= 3; count++) {
      const late = await say('one')
      expect([late.status, late.json['code'], late.json['id'], readReplayMark(late)]).toEqual([
        409,
        'DONE_BEFORE',
        entry?.id,
        null,
      ])
    }
    expect((await say('one', { input: 'Buses.' })).json['code']).toBe('IDEMPOTENCY_CONFLICT')
    expect([calls.length, await readPaid()]).toEqual([1, price])
    farebox.clock.time += defaultRetention.keys
    await purge(farebox.database, farebox.clock.time)
    expect((await say('one', { input: 'Buses.' })).status).toBe(200)
    expect([calls.length, await readPaid()]).toEqual([2, 2n * price])
  })

  it('of a response that is too large is 409, without free work', async () => {
    const { calls, speech } = createVaryingBackend([3_000, 3_000])
    await start({ speech, storedResponses: { perResponse: 5_999 } })
    expect((await say('one')).bytes).toHaveLength(6_000)
    expect((await say('one')).json['code']).toBe('DONE_BEFORE')
    expect([calls.length, await readPaid()]).toEqual([1, price])
  })

  it('is 409 while the first request runs, however long, and does not count as a failure', async () => {
    let finish = () => {}
    const isFinished = new Promise<void>((resolve) => (finish = resolve))
    async function* speak() {
      yield { bytes: Buffer.from('first'), made: 6 }
      await isFinished
      yield { bytes: Buffer.from('last'), made: 6 }
    }
    await start({ speech: { describe: () => 'slow', speak, close: async () => undefined } })
    const first = say('one')
    let busy = await say('one')
    while (busy.json['code'] !== 'IDEMPOTENCY_IN_PROGRESS') busy = await say('one')
    // 21 failures would block the caller
    for (let count = 1; count <= 25; count++) busy = await say('one')
    expect([busy.status, busy.json['code'], busy.headers.get('retry-after')]).toEqual([
      409,
      'IDEMPOTENCY_IN_PROGRESS',
      '1',
    ])
    finish()
    expect((await first).text).toBe('firstlast')
    expect([(await say('one')).text, await readPaid()]).toEqual(['firstlast', price])
  })

  it('of a response that its client abandoned is 409; one that the service broke off is charged once complete', async () => {
    const { speech } = createVaryingBackend([10, 10, 10])
    let breaks = true
    async function* speak(request: SpeechRequest) {
      yield* speech.speak(request)
      if (request.text === 'Broken' && breaks) throw new Error('broken')
    }
    await start({ speech: { ...speech, speak } })
    const request = new Request(`${origin}/api/v1/audio/speech`, {
      method: 'POST',
      headers: { ...asAdmin, 'idempotency-key': 'left' },
      body: JSON.stringify({ input: 'Trams.', streaming: true }),
    })
    const reader = (await farebox.service.fetch(request)).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect([(await say('left', { streaming: true })).json['code'], await readPaid()]).toEqual([
      'DONE_BEFORE',
      price,
    ])

    await expect(say('broken', { input: 'Broken', streaming: true })).rejects.toThrow()
    expect(await readPaid()).toBe(price)
    breaks = false
    const [whole, again] = [
      await say('broken', { input: 'Broken', streaming: true }),
      await say('broken', { input: 'Broken', streaming: true }),
    ]
    expect([
      whole.bytes.length,
      readReplayMark(whole),
      readReplayMark(again),
      await readPaid(),
    ]).toEqual([30, null, 'true', 2n * price])
    expect(again.bytes).toEqual(whole.bytes)
  })

  it('gets a response even when it could not be stored, which is logged for the operator', async () => {
    const database = await openEmptyDatabase()
    const query: typeof database.query = async (sql, params) => {
      if (sql.includes('insert into response_part')) throw new Error('disk full')
      return database.query(sql, params)
    }
    const { calls, speech } = createVaryingBackend()
    await start({ speech, database: { ...database, query } })
    expect((await say('one')).bytes).toHaveLength(2_100)
    expect(farebox.crashes).toEqual([new Error('disk full')])
    expect((await say('one')).status).toBe(409)
    expect([calls.length, await readPaid()]).toEqual([1, price])
  })

  it('after a process was killed at any statement is replayed, redone or 409, and never charged twice', async () => {
    const database = await openEmptyDatabase()
    const seen = new Set<string>()
    for (let diesAt = 1, isAlive = false; !isAlive; diesAt++) {
      const key = `speech-${diesAt}`
      const life = makeMortal(database, diesAt)
      const { calls, speech } = createVaryingBackend()
      const first = await startService({ database: life.database, speech })
      life.begin()
      const answered = await say(key, {}, asAdmin, first).catch(() => undefined)
      await first.service.close()
      isAlive = !life.isDead()

      farebox = await startService({
        database: { ...database, close: async () => undefined },
        speech,
      })
      const repeats = [await say(key), await say(key)]
      const what = repeats
        .map((one) =>
          one.status === 200 ? (readReplayMark(one) ?? 'new') : String(one.json['code']),
        )
        .join()
      seen.add(what)
      if (what === 'true,true' && answered?.status === 200)
        expect(repeats[0]?.bytes).toEqual(answered.bytes)
      expect(['true,true', 'new,true', 'DONE_BEFORE,DONE_BEFORE']).toContain(what)
      expect([await readPaid(), calls.length > 2], `killed at statement ${diesAt}`).toEqual([
        BigInt(diesAt) * price,
        false,
      ])
      expect(await farebox.ledger.audit()).toEqual([])
      await farebox.service.close()
    }
    // each of them occurred
    expect([...seen].toSorted()).toEqual(['DONE_BEFORE,DONE_BEFORE', 'new,true', 'true,true'])
    await database.close()
  })
})

describe('an operation whose responses are not stored', () => {
  it('is redone twice, then 409', async () => {
    let works = 0
    const textParser = {
      ...inlineParser,
      parse: async (...parameters: Parameters<typeof inlineParser.parse>) => (
        works++,
        inlineParser.parse(...parameters)
      ),
    }
    await start({ textParser })
    const responses = []
    for (let count = 1; count <= 6; count++) {
      farebox.clock.time += 61_000
      responses.push(await parse('one'))
    }
    expect(responses.map((response) => [response.status, readReplayMark(response)])).toEqual([
      [200, null],
      [200, 'true'],
      [200, 'true'],
      ...Array.from({ length: 3 }, () => [409, null]),
    ])
    expect(new Set(responses.slice(0, 3).map(({ text }) => text)).size).toBe(1)
    const [entry] = (await farebox.ledger.entries('key:admin', { limit: 1, offset: 0 })).entries
    expect(responses[5]?.json).toMatchObject({ code: 'DONE_BEFORE', id: entry?.id })
    // nor a day later
    farebox.clock.time += defaultRetention.responses
    await purgeResponses(farebox.database, farebox.clock.time)
    expect((await parse('one')).status).toBe(409)
    expect([works, await readPaid()]).toEqual([3, 10_000n])
    expect(await farebox.database.query('select 1 from response_part')).toEqual([])
  })

  it('gives a run back if the service failed it', async () => {
    let isBusy = false
    const textParser = {
      ...inlineParser,
      parse: async (...parameters: Parameters<typeof inlineParser.parse>) => {
        if (isBusy) throw new Error('broken')
        return inlineParser.parse(...parameters)
      },
    }
    await start({ textParser })
    const statuses = []
    for (const busy of [true, true, true, false, true, true, true, false, true, false, false]) {
      isBusy = busy
      statuses.push((await parse('one')).status)
    }
    expect(statuses).toEqual([500, 500, 500, 200, 500, 500, 500, 200, 500, 200, 409])
    expect(await readPaid()).toBe(10_000n)
  })
})
