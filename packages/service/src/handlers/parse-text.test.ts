import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { deepTest } from '@farebox/testing/rounds'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  adminKey,
  decodeHeader,
  inlineParser,
  createWallet,
  startService,
  type Harness,
  type TestWallet,
} from '../../test/harness.js'
import { TextParseError } from '../domain/text/text-errors.js'
import { createTextParser } from '../domain/text/text-parser.js'
import { hashKey } from '../domain/replay/response-cipher.js'

const readFixture = (name: string) =>
  readFile(fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url)))
const limit = 25 * 1024 * 1024

let farebox: Harness
beforeAll(async () => void (farebox = await startService()))
afterAll(() => farebox.service.close())

function createForm(
  file: BlobPart | undefined,
  fields: Readonly<Record<string, string>> = {},
  name = 'document',
): FormData {
  const data = new FormData()
  if (file !== undefined) data.append('file', new Blob([file]), name)
  for (const [key, value] of Object.entries(fields)) data.append(key, value)
  return data
}

async function parse(
  wallet: TestWallet,
  body: FormData,
  headers: Readonly<Record<string, string>> = {},
) {
  return farebox.call('parseText', '/augment/text-parser', {
    method: 'POST',
    body,
    headers: { ...(await farebox.signIn(wallet)), ...headers },
  })
}

describe('parseText', () => {
  it.each([
    'fare-table.pdf',
    'fare-table.docx',
    'fare-table.pptx',
    'fare-table.xlsx',
    'fare-table.txt',
  ])('reads %s', async (name) => {
    const wallet = await farebox.richWallet(0.01)
    const response = await parse(wallet, createForm(await readFixture(name)))
    expect(response.status).toBe(200)
    expect(response.json['text']).toContain('Möweninsel')
    expect(response.json['tokens']).toBeGreaterThan(10)
    expect(response.headers.get('x-balance-remaining')).toBe('0.000000')
  })

  it('returns only the text on request', async () => {
    const response = await parse(
      await farebox.richWallet(),
      createForm('Tram fares', { response_format: 'text' }),
    )
    expect([response.text, response.headers.get('content-type')]).toEqual([
      'Tram fares',
      'text/plain; charset=utf-8',
    ])
  })

  it.each([
    [undefined, { warnings: [{ code: 'invalid_bytes', count: 1 }] }, null],
    ['text', undefined, 'invalid_bytes=1'],
  ])('reports lost characters for the format %s', async (format, json, header) => {
    const broken = Buffer.concat([Buffer.from('Möweninsel '), Buffer.from([0xf6])])
    const fields = format === undefined ? {} : { response_format: format }
    const response = await parse(await farebox.richWallet(), createForm(broken, fields))
    expect(response.status).toBe(200)
    if (json !== undefined) expect(response.json).toMatchObject(json)
    expect(response.headers.get('parse-warnings')).toBe(header)
  })

  it('costs a cent and adds it to the ledger', async () => {
    const wallet = await farebox.richWallet(5)
    const response = await parse(wallet, createForm('Tram fares'))
    expect(response.headers.get('x-balance-remaining')).toBe('4.990000')
    const { entries } = await farebox.ledger.entries(wallet.address, { limit: 1, offset: 0 })
    expect(entries).toMatchObject([
      {
        amount: -10_000n,
        type: 'CHARGE',
        modelId: 'text-parser',
        requestId: response.headers.get('x-request-id'),
      },
    ])
  })

  it('stores neither the document nor its name, and only a hash of the Idempotency-Key', async () => {
    const wallet = await farebox.richWallet(5)
    await parse(wallet, createForm('The conductor whispers xylophone', {}, 'xylophone.txt'), {
      'idempotency-key': 'kept-key',
    })
    await parse(wallet, createForm('%PDF-1.7 xylophone', {}, 'xylophone.pdf'))
    const tables = await farebox.database.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    )
    const kept = []
    for (const { name } of tables)
      kept.push(
        ...(await farebox.database.query<{ row: string }>(
          `select t::text as row from "${name}" t`,
        )),
      )
    const text = kept.map(({ row }) => row).join('\n')
    expect(tables.length).toBeGreaterThan(8)
    expect(text).toContain(hashKey('kept-key'))
    expect(text).not.toContain('kept-key')
    expect(text).not.toContain('xylophone')
    expect(text).not.toContain(Buffer.from('xylophone').toString('hex'))
  })

  it("charges the administrator's account for its key", async () => {
    const before = await farebox.ledger.balance('key:admin')
    const headers = { authorization: `Bearer ${adminKey}` }
    const response = await farebox.call('parseText', '/augment/text-parser', {
      method: 'POST',
      body: createForm('Tram fares'),
      headers,
    })
    expect([response.status, response.headers.get('x-balance-remaining')]).toEqual([200, null])
    expect(await farebox.ledger.balance('key:admin')).toBe(before - 10_000n)
  })

  it('charges the wallet when both credentials are sent', async () => {
    const wallet = await farebox.richWallet(1)
    const response = await parse(wallet, createForm('Tram fares'), {
      authorization: 'Bearer nonsense',
    })
    expect(response.headers.get('x-balance-remaining')).toBe('0.990000')
  })
})

describe('without credit', () => {
  it('is 402 with instructions for a wallet, before the file is read', async () => {
    const wallet = await farebox.richWallet(0.009999)
    const response = await parse(wallet, createForm('Tram fares'))
    expect(response.status).toBe(402)
    expect(response.json).toMatchObject({
      error: 'Payment required',
      code: 'PAYMENT_REQUIRED',
      reason: 'insufficient_balance',
      currentBalanceUsd: 0.009999,
      minimumBalanceUsd: 0.01,
      suggestedTopUpUsd: 10,
      minimumTopUpUsd: 5,
      supportedTokens: ['USDC'],
      supportedChains: ['base', 'solana'],
      topUpInstructions: { tokenDecimals: 6, network: 'eip155:8453', minimumAmountUsd: 5 },
      siwxChallenge: { info: { domain: '127.0.0.1:4020', statement: 'Sign in to Farebox API' } },
    })
    expect(decodeHeader(response.headers, 'payment-required')).toMatchObject({
      x402Version: 2,
      accepts: [
        { network: 'eip155:8453', amount: '10000000' },
        { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', amount: '10000000' },
      ],
    })
  })

  it('is 402 with both ways to authenticate for a caller without credentials', async () => {
    const response = await farebox.call('parseText', '/augment/text-parser', {
      method: 'POST',
      body: createForm('Tram fares'),
    })
    expect(response.status).toBe(402)
    const ways = {
      authOptions: {
        apiKey: { header: 'Authorization' },
        x402Wallet: { header: 'SIGN-IN-WITH-X' },
      },
    }
    expect(response.json).toMatchObject({
      x402Version: 1,
      accepts: [{ network: 'base' }, { network: 'solana' }],
      ...ways,
    })
    expect(decodeHeader(response.headers, 'payment-required')).toMatchObject({
      x402Version: 2,
      accepts: [{ network: 'eip155:8453' }, { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' }],
      extensions: { 'sign-in-with-x': { info: { version: '1' } } },
    })
  })

  it('is 402 without instructions for a key', async () => {
    const poor = await startService({ adminCreditUsd: 0 })
    const headers = { authorization: `Bearer ${adminKey}` }
    const response = await poor.call('parseText', '/augment/text-parser', {
      method: 'POST',
      body: createForm('x'),
      headers,
    })
    expect([
      response.status,
      response.json['code'],
      response.headers.get('payment-required'),
    ]).toEqual([402, 'INSUFFICIENT_BALANCE', null])
    await poor.service.close()
  })

  it('is 401 for an invalid Authorization header', async () => {
    for (const authorization of ['Bearer wrong', 'Basic abc', 'Bearer', `Bearer ${adminKey} x`]) {
      const response = await farebox.call('parseText', '/augment/text-parser', {
        method: 'POST',
        body: createForm('x'),
        headers: { authorization },
      })
      expect([response.status, response.json['code']]).toEqual([401, 'AUTHENTICATION_FAILED'])
    }
  })

  it('lets one of two requests spend the last cent', async () => {
    const wallet = await farebox.richWallet(0.01)
    const responses = await Promise.all([
      parse(wallet, createForm('one')),
      parse(wallet, createForm('two')),
    ])
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 402]))
    expect(await farebox.ledger.balance(wallet.address)).toBe(0n)
  })
})

describe('a request that fails', () => {
  const failures: readonly (readonly [
    string,
    () => Promise<FormData> | FormData,
    number,
    string,
  ])[] = [
    ['no file', () => createForm(undefined, { response_format: 'json' }), 400, 'file'],
    [
      'an unknown format',
      () => createForm('x', { response_format: 'yaml' }),
      400,
      'response_format',
    ],
    ['an empty file', () => createForm(''), 400, 'file'],
    [
      'a picture',
      () => createForm(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0])),
      400,
      'file',
    ],
    ['an encrypted PDF', async () => createForm(await readFixture('encrypted.pdf')), 400, 'file'],
    [
      'half a DOCX',
      async () => createForm((await readFixture('fare-table.docx')).subarray(0, 2000)),
      400,
      'file',
    ],
  ]

  it.each(failures)('costs nothing: %s', async (_what, body, status, field) => {
    const wallet = await farebox.richWallet(1)
    const response = await parse(wallet, await body())
    expect(response.status).toBe(status)
    expect(response.json).toMatchObject({ details: { [field]: { _errors: [expect.any(String)] } } })
    expect(await farebox.ledger.balance(wallet.address)).toBe(1_000_000n)
  })

  it('costs nothing: two files', async () => {
    const wallet = await farebox.richWallet(1)
    const body = createForm('one')
    body.append('file', new Blob(['two']), 'second')
    expect((await parse(wallet, body)).json).toMatchObject({
      details: { file: { _errors: ['Given more than once.'] } },
    })
    expect(await farebox.ledger.balance(wallet.address)).toBe(1_000_000n)
  })

  it.each([
    ['JSON', 'application/json', '{}'],
    ['no boundary', 'multipart/form-data', 'x'],
    ['nothing', 'multipart/form-data; boundary=b', ''],
    [
      'an end that is missing',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nText',
    ],
    [
      'a part without a name',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data\r\n\r\nText\r\n--b--',
    ],
  ])('is 400 for a body that is %s', async (_what, contentType, body) => {
    const wallet = await farebox.richWallet(1)
    const headers = { ...(await farebox.signIn(wallet)), 'content-type': contentType }
    const response = await farebox.call('parseText', '/augment/text-parser', {
      method: 'POST',
      body,
      headers,
    })
    expect(response.status).toBe(400)
    expect(await farebox.ledger.balance(wallet.address)).toBe(1_000_000n)
  })

  it('is 429 while the parser is busy', async () => {
    const busy = await startService({
      textParser: {
        ...inlineParser,
        parse: () =>
          Promise.reject(
            new TextParseError('overloaded', 'The text parser has too many files waiting.'),
          ),
      },
    })
    const wallet = await busy.richWallet(1)
    const init = { method: 'POST', body: createForm('x'), headers: await busy.signIn(wallet) }
    const response = await busy.call('parseText', '/augment/text-parser', init)
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '5'])
    await busy.service.close()
  })
})

deepTest('parses the small documents of many callers at once', async () => {
  const harness = await startService({ textParser: createTextParser() })
  const wallets = await Promise.all(Array.from({ length: 50 }, () => harness.richWallet(0.02)))
  const ask = async (wallet: TestWallet) => {
    const init = {
      method: 'POST',
      body: createForm('Thirty bytes of small text, ok'),
      headers: await harness.signIn(wallet),
    }
    return (await harness.call('parseText', '/augment/text-parser', init)).status
  }
  expect(new Set(await Promise.all([...wallets, ...wallets].map(ask)))).toEqual(new Set([200]))
  await harness.service.close()
})

describe('the limit of 25 MB', () => {
  const spaces = (length: number) =>
    new Uint8Array(length).fill(0x20, 0, length - 1).fill(0x78, length - 1)

  deepTest('takes a file of exactly 26,214,400 bytes', async () => {
    const response = await parse(
      await farebox.richWallet(1),
      createForm(spaces(limit), { response_format: 'text' }),
    )
    expect([response.status, response.text.length]).toEqual([200, limit])
  })

  it('rejects one byte more with 413, and charges nothing', async () => {
    const wallet = await farebox.richWallet(1)
    const response = await parse(wallet, createForm(spaces(limit + 1)))
    expect([response.status, response.json['code']]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(await farebox.ledger.balance(wallet.address)).toBe(1_000_000n)
  })

  it('stops reading a body that does not end', async () => {
    const wallet = await farebox.richWallet(1)
    let sent = 0
    const head = new TextEncoder().encode(
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n',
    )
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(head),
      pull: (controller) => {
        sent += 1024 * 1024
        controller.enqueue(new Uint8Array(1024 * 1024).fill(0x61))
      },
    })
    const headers = {
      ...(await farebox.signIn(wallet)),
      'content-type': 'multipart/form-data; boundary=b',
    }
    const response = await farebox.call('parseText', '/augment/text-parser', {
      method: 'POST',
      body,
      headers,
    })
    expect(response.status).toBe(413)
    expect(sent).toBeLessThan(40 * 1024 * 1024)
  })
})

describe('Idempotency-Key', () => {
  it('charges once for the same key and body, and returns the same response', async () => {
    const wallet = await farebox.richWallet(0.01)
    const headers = { 'idempotency-key': 'order-1' }
    const first = await parse(wallet, createForm('Tram fares'), headers)
    const again = await parse(wallet, createForm('Tram fares'), headers)
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
    expect([
      first.headers.get('idempotent-replayed'),
      again.headers.get('idempotent-replayed'),
    ]).toEqual([null, 'true'])
    expect(await farebox.ledger.balance(wallet.address)).toBe(0n)
  })

  it('is 409 for another body', async () => {
    const wallet = await farebox.richWallet(1)
    const headers = { 'idempotency-key': 'order-2' }
    await parse(wallet, createForm('Tram fares'), headers)
    for (const body of [
      createForm('Bus fares'),
      createForm('Tram fares', { response_format: 'text' }),
    ]) {
      expect((await parse(wallet, body, headers)).status).toBe(409)
    }
    expect(await farebox.ledger.balance(wallet.address)).toBe(990_000n)
  })

  it('is scoped to its caller', async () => {
    const headers = { 'idempotency-key': 'order-3' }
    for (const wallet of [await farebox.richWallet(1), await farebox.richWallet(1)]) {
      expect((await parse(wallet, createForm(createWallet().address), headers)).status).toBe(200)
    }
  })

  it('can be reused when the first request failed', async () => {
    const wallet = await farebox.richWallet(1)
    const headers = { 'idempotency-key': 'order-4' }
    expect((await parse(wallet, createForm(''), headers)).status).toBe(400)
    expect((await parse(wallet, createForm('Tram fares'), headers)).status).toBe(200)
  })

  it('is 400 when it is empty or longer than 255 characters', async () => {
    const wallet = await farebox.richWallet(1)
    for (const key of ['', 'k'.repeat(256)]) {
      expect((await parse(wallet, createForm('x'), { 'idempotency-key': key })).status).toBe(400)
    }
  })
})

describe('a client that disconnects', () => {
  it('pays for the text that was extracted, and the request does not count as failed', async () => {
    const gone = new AbortController()
    const leaving = await startService({
      textParser: {
        ...inlineParser,
        parse: async (bytes) => {
          gone.abort()
          return inlineParser.parse(bytes)
        },
      },
    })
    const wallet = await leaving.richWallet(1)
    const init = {
      method: 'POST',
      body: createForm('Tram fares'),
      headers: await leaving.signIn(wallet),
      signal: gone.signal,
    }
    expect((await leaving.call('parseText', '/augment/text-parser', init)).json).toMatchObject({
      text: 'Tram fares',
    })
    expect(await leaving.ledger.balance(wallet.address)).toBe(990_000n)
    expect(leaving.crashes).toEqual([])
    await leaving.service.close()
  })

  it('pays nothing when it disconnected before the work began, or when the work fails', async () => {
    let parsed = 0
    const gone = new AbortController()
    const leaving = await startService({
      textParser: {
        ...inlineParser,
        parse: async () => {
          parsed++
          gone.abort()
          throw new Error('broken')
        },
      },
    })
    const wallet = await leaving.richWallet(1)
    const send = async (signal: AbortSignal) => {
      const init = {
        method: 'POST',
        body: createForm('Tram fares'),
        headers: await leaving.signIn(wallet),
        signal,
      }
      return (await leaving.call('parseText', '/augment/text-parser', init)).json['code']
    }
    expect([await send(gone.signal), parsed]).toEqual(['CLIENT_GONE', 1])
    expect([await send(AbortSignal.abort()), parsed]).toEqual(['CLIENT_GONE', 1])
    expect(await leaving.ledger.balance(wallet.address)).toBe(1_000_000n)
    expect(leaving.crashes).toEqual([])
    await leaving.service.close()
  })
})
