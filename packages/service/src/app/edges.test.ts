import { operations, type Operation, type OperationId } from '@farebox/types/operations'
import fc from 'fast-check'
import { countRounds, sampleCases } from '@farebox/testing/rounds'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { engines, type OpenDatabase } from '../../test/databases.js'
import { adminKey, startService, type Harness, type TestWallet } from '../../test/harness.js'
import type { SpeechBackend } from '../domain/speech/speech-backend.js'

const speech: SpeechBackend = {
  describe: () => 'test',
  speak: async function* ({ text }) {
    yield { bytes: new Uint8Array(8), made: Array.from(text).length }
  },
  close: async () => undefined,
}
const video = { name: 'test', render: async () => new Uint8Array(8) }

let serial = 0

/**
 * What a JSON body can hold in the place of a text or a number: what PostgreSQL does not take, and
 * what no index of it holds.
 */
const oddValues: readonly unknown[] = [
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '\\u0000',
  '\ufeff',
  "';--",
  '',
  'é'.repeat(4_000),
  createIncompressibleText(40_000),
  '9999-12-31T23:59:59-23:59',
  '9999-12-31T23:59:59.999Z',
  'infinity',
  'vv_' + 'a'.repeat(9_000),
  null,
  true,
  0,
  -0,
  -1,
  0.5,
  1e-320,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  9_007_199_254.740_993,
  9_999_999_999,
  1e300,
  [],
  {},
]

const bodies: Readonly<Partial<Record<OperationId, object>>> = {
  createSpeech: {
    input: 'a',
    model: 'tts-kokoro',
    voice: 'af_sky',
    response_format: 'pcm',
    speed: 1,
    language: 'en',
    prompt: 'a',
  },
  createApiKey: {
    apiKeyType: 'INFERENCE',
    description: 'a',
    consumptionLimit: { usd: 1, diem: 1, vcu: 1 },
    limitPeriod: 'EPOCH',
    expiresAt: '2027-01-01T00:00:00Z',
  },
  quoteVideo: { model: 'local-test-clip', duration: '5s', resolution: '480p' },
  queueVideo: {
    model: 'local-test-clip',
    duration: '5s',
    prompt: 'a',
    negative_prompt: 'a',
    resolution: '480p',
  },
  retrieveVideo: { model: 'local-test-clip', queue_id: '00000000-0000-4000-8000-000000000000' },
}

const texts = ['createVoice', 'parseText'] as const

describe.each(sampleCases(engines))('values that $engine cannot store', ({ engine, open }) => {
  let opened: OpenDatabase
  let farebox: Harness
  let wallet: TestWallet

  beforeAll(async () => {
    opened = await open()
    const shared = engine === 'PostgreSQL' ? { databaseUrl: 'postgres://shared' } : {}
    farebox = await startService({
      database: { ...opened.database, close: async () => undefined },
      ...shared,
      speech,
      video,
      adminCreditUsd: 1e6,
    })
    wallet = await farebox.richWallet(1e6)
  })
  afterAll(async () => {
    await farebox.service.close()
    await opened.close()
  })
  afterEach(async () => {
    expect(farebox.crashes.splice(0)).toEqual([])
    expect(await farebox.ledger.audit()).toEqual([])
  })

  async function ask(
    id: OperationId,
    path: string,
    init: RequestInit & { readonly headers: Readonly<Record<string, string>> },
  ) {
    // so that neither limits nor the block after failures answer
    farebox.clock.time += 61_000
    const response = await farebox.call(id, path, { method: operations[id].method, ...init })
    expect(farebox.crashes.map(String), path).toEqual([])
    return response
  }

  const signIn = () => farebox.signIn(wallet)
  const json = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
  const asCaller = async (id: OperationId) =>
    admitsWallets(id) ? signIn() : { authorization: json.authorization }
  const ofWallet = async () => ({ ...(await signIn()), 'content-type': 'application/json' })
  const pathTo = (id: OperationId) =>
    operations[id].path.replace('{walletAddress}', wallet.address).replace('{id}', 'tts-kokoro')

  it.each(listParameters('query'))(
    'returns a page or 400 for any number in query parameter $name of $id',
    async ({ id, name }) => {
      const digits = fc.stringMatching(/^-?[0-9]{1,40}$/)
      const number = fc.oneof(
        digits,
        fc
          .tuple(
            digits,
            fc.constantFrom('.0', '.5', '.', 'e0', 'e5', 'e+30', 'E400', 'e-3', 'n', ' ', 'x'),
          )
          .map((parts) => parts.join('')),
        fc.double().map(String),
        fc.constantFrom(
          '2147483648',
          '9007199254740993',
          '9223372036854775807',
          '9223372036854775808',
          '1e308',
          '1e309',
          '-0',
          '0x10',
        ),
        fc.constantFrom('NaN', 'Infinity', 'null', '', '٣', '+1', '1_000', '1,2', '%00', '\ud800'),
      )
      const seen = new Set<number>()
      await fc.assert(
        fc.asyncProperty(number, async (text) => {
          const query = new URLSearchParams({ [name]: text })
          const { status, json: body } = await ask(id, `${pathTo(id)}?${query}`, {
            headers: await asCaller(id),
          })
          expect([200, 400]).toContain(status)
          seen.add(status)
          if (id === 'listTransactions' && status === 200) {
            const { transactions, pagination } = body['data'] as {
              transactions: unknown[]
              pagination: { offset: number; hasMore: boolean }
            }
            // the wallet has one entry
            expect([transactions.length, pagination.hasMore]).toEqual([
              pagination.offset === 0 ? 1 : 0,
              false,
            ])
          }
        }),
        { numRuns: countRounds(150), examples: [['9223372036854775808'], ['1e308'], ['0']] },
      )
      expect(seen).toContain(400)
    },
  )

  it.each(listParameters('path'))(
    'returns 4xx for any string in path parameter $name of $id',
    async ({ id, name }) => {
      const odd = [
        '%00',
        '%ED%A0%80',
        '%ff',
        'é',
        'a'.repeat(4_000),
        "';--",
        '0x',
        `0x${'g'.repeat(40)}`,
        '1'.repeat(44),
      ]
      for (const text of odd) {
        const { status } = await ask(id, operations[id].path.replace(`{${name}}`, text), {
          headers: await asCaller(id),
        })
        expect([400, 403, 404], text).toContain(status)
      }
    },
  )

  it('returns 401 and states the maximum length for a nonce that is too long to index', async () => {
    for (const [length, expected] of [
      [128, 200],
      [129, 401],
      [2_800, 401],
      [5_000, 401],
    ] as const) {
      const headers = await farebox.signIn(wallet, {
        nonce: () => createIncompressibleText(length),
      })
      const { status, json: body } = await ask('getBalance', pathTo('getBalance'), { headers })
      expect([length, status]).toEqual([length, expected])
      if (status === 401) {
        expect(body['code']).toBe('X402_SIGN_IN_INVALID_MESSAGE')
        expect(body['error']).toContain(`the nonce has ${length} characters, expected 8 to 128`)
      }
    }
  })

  it.each(Object.keys(bodies) as OperationId[])(
    'accepts or rejects any value in the body of %s',
    async (id) => {
      const body = bodies[id] ?? {}
      expect(
        (await ask(id, pathTo(id), { headers: json, body: JSON.stringify(body) })).status,
      ).toBe(id === 'retrieveVideo' ? 404 : 200)
      for (const place of listPlaces(body)) {
        for (const value of sampleCases(oddValues)) {
          const changed = JSON.stringify(replaceMember(body, place, value))
          for (const headers of [json, ...(admitsWallets(id) ? [await ofWallet()] : [])]) {
            const { status, json: response } = await ask(id, pathTo(id), { headers, body: changed })
            expect([200, 400, 404, 413], `${place.join('.')} = ${changed.slice(0, 200)}`).toContain(
              status,
            )
            // what is kept comes back as it was given
            if (id === 'createApiKey' && status === 200 && place[0] === 'description')
              expect((response['data'] as { readonly description: string }).description).toBe(value)
          }
        }
      }
    },
  )

  it.each(texts)('accepts or rejects any string in a form field of %s', async (id) => {
    for (const value of sampleCases(oddValues).map(String)) {
      for (const field of ['model', 'response_format', 'file', value.slice(0, 50)]) {
        const form = new FormData()
        form.append('file', new Blob(['Tram fares']), 'a')
        form.set(field, value)
        const { status } = await ask(id, pathTo(id), {
          headers: { authorization: json.authorization },
          body: form,
        })
        expect([200, 400], `${field} = ${value.slice(0, 50)}`).toContain(status)
      }
    }
  })

  it.each(Object.keys(bodies) as OperationId[])(
    'accepts or rejects any Idempotency-Key of %s',
    async (id) => {
      const keys = [
        '',
        ' ',
        "';--",
        '\\u0000',
        '"\\',
        'ÿ'.repeat(255),
        'ÿ'.repeat(256),
        createIncompressibleText(255),
        createIncompressibleText(9_000),
      ]
      for (const key of keys) {
        for (const headers of [json, ...(admitsWallets(id) ? [await ofWallet()] : [])]) {
          const body = JSON.stringify(bodies[id])
          const { status } = await ask(id, pathTo(id), {
            headers: { ...headers, 'idempotency-key': key },
            body,
          })
          expect([200, 400, 404, 409], key).toContain(status)
        }
      }
    },
  )

  it('credits or rejects a payment with any contents', async () => {
    const good = JSON.parse(Buffer.from(await farebox.pay(wallet), 'base64').toString()) as object
    for (const place of listPlaces(good)) {
      for (const value of sampleCases(oddValues)) {
        const header = Buffer.from(JSON.stringify(replaceMember(good, place, value))).toString(
          'base64',
        )
        if (header.length > 12_000) continue
        for (const name of ['payment-signature', 'x-payment']) {
          const { status } = await ask('topUp', '/x402/top-up', { headers: { [name]: header } })
          expect([200, 400, 402], `${place.join('.')} = ${String(value).slice(0, 50)}`).toContain(
            status,
          )
        }
      }
    }
  })
})

function listParameters(
  place: 'query' | 'path',
): readonly { readonly id: OperationId; readonly name: string }[] {
  return Object.values(operations).flatMap(({ id, parameters }: Operation) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name }) => ({ id: id as OperationId, name })),
  )
}

function admitsWallets(id: OperationId): boolean {
  return (operations[id] as Operation).security.some((schemes) => schemes.includes('siwx'))
}

/** Every member that is no object, by its path. */
function listPlaces(value: object, at: readonly string[] = []): readonly (readonly string[])[] {
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    typeof member === 'object' && member !== null
      ? listPlaces(member, [...at, name])
      : [[...at, name]],
  )
}

function replaceMember(
  body: object,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): object {
  const member = (body as Readonly<Record<string, object>>)[name] ?? {}
  return { ...body, [name]: rest.length === 0 ? value : replaceMember(member, rest, value) }
}

/** Letters and digits that no database makes shorter, the same each time but for the first. */
function createIncompressibleText(length: number): string {
  let state = ++serial
  const next = () => (state = (state * 48_271) % 2_147_483_647)
  return Array.from({ length }, () => (next() % 36).toString(36)).join('')
}
