import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import * as fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { engines, type OpenDatabase } from '../../test/databases.js'
import {
  base,
  feePayer,
  solana,
  startFakeFacilitator,
  supportsBoth,
  transaction,
  type FakeFacilitator,
  type Step,
} from '../../test/fake-facilitator.js'
import { decodeHeader, newWallet, payee, startService, type Harness } from '../../test/harness.js'
import { decode, newSolanaWallet, solanaPayment } from '../../test/solana.js'
import type { ServiceOptions } from '../create-service.js'

const key = 'facilitator_s3cret_key'
const payToSolana = '1nc1nerator11111111111111111111111111111111'
const blockhash = { extra: { recentBlockhash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' } }

/** Overwrites what the harness gives by default. */
const without = (name: keyof ServiceOptions): Partial<ServiceOptions> => Object.fromEntries([[name, undefined]])

describe.each(engines)('a facilitator, on $engine', ({ open }) => {
  let storage: OpenDatabase
  let facilitator: FakeFacilitator
  let farebox: Harness
  const timeouts: { readonly milliseconds: number; readonly fire: () => void }[] = []
  let serial = 0
  beforeAll(async () => void (storage = await open()))
  afterAll(() => storage.close())
  beforeEach(async () => {
    facilitator = await startFakeFacilitator()
    timeouts.length = 0
    farebox = await serve()
  })
  afterEach(() => facilitator.close())

  /** Another process over the same books; the ones before it are as if they had been killed. */
  function serve(options: Partial<ServiceOptions> = {}): Promise<Harness> {
    const timeout = (milliseconds: number) => {
      const controller = new AbortController()
      timeouts.push({ milliseconds, fire: () => controller.abort(new DOMException('', 'TimeoutError')) })
      return controller.signal
    }
    const database = { ...storage.database, close: async () => undefined }
    return startService({
      database,
      payToSolana,
      facilitator: { url: facilitator.url, key, timeout },
      ...options,
    })
  }

  const topUp = (header?: string, { via = farebox, idempotencyKey = '' } = {}) =>
    via.call('topUp', '/x402/top-up', {
      method: 'POST',
      headers: {
        ...(header !== undefined && { 'payment-signature': header }),
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      from: `10.2.${Math.floor(++serial / 250)}.${serial % 250}`,
    })
  const asked = (path: string) => facilitator.asked.filter((one) => one.path === path)
  const booked = async (address: string) => {
    expect(await farebox.ledger.audit()).toEqual([])
    return farebox.ledger.balance(address)
  }

  it('is asked what it settles, verifies and settles a payment, and the payment is credited', async () => {
    const wallet = newWallet()
    const header = await farebox.pay(wallet, { usd: 12.34 })
    const answer = await topUp(header)
    expect([answer.status, answer.json['data']]).toMatchObject([200, { walletAddress: wallet.address, amountCredited: 12.34 }])
    expect(decodeHeader(answer.headers, 'payment-response')).toEqual({ success: true, transaction, network: base, payer: wallet.address })
    expect(answer.headers.get('x-farebox-backend')).toBe('payments=facilitator')
    expect(await booked(wallet.address)).toBe(12_340_000n)
    expect(facilitator.asked.map(({ path, authorization }) => [path, authorization])).toEqual(
      ['/supported', '/verify', '/settle'].map((path) => [path, `Bearer ${key}`]),
    )
    const [verified, settled] = facilitator.asked.slice(1)
    expect(settled?.text).toBe(verified?.text)
    const { accepted, payload } = decode(header) as { accepted: object; payload: object }
    expect(settled?.json).toEqual({
      x402Version: 2,
      paymentPayload: { x402Version: 2, resource: expect.anything() as object, accepted, payload },
      paymentRequirements: { ...accepted, payTo: payee },
    })
  })

  it('is spoken to in version 1 where it speaks no other, whatever the client speaks', async () => {
    facilitator.supported = { kinds: [{ x402Version: 1, scheme: 'exact', network: 'base' }] }
    farebox = await serve()
    for (const shape of ['v2', 'v1', 'hybrid'] as const) expect((await topUp(await farebox.pay(newWallet(), { shape }))).status).toBe(200)
    expect(asked('/settle').map(({ json }) => json)).toMatchObject(
      Array.from({ length: 3 }, () => ({
        x402Version: 1,
        paymentPayload: { x402Version: 1, scheme: 'exact', network: 'base' },
        paymentRequirements: { scheme: 'exact', network: 'base', maxAmountRequired: '5000000', payTo: payee, resource: /top-up$/ },
      })).map((one) => ({
        ...one,
        paymentRequirements: { ...one.paymentRequirements, resource: expect.stringMatching(/top-up$/) as string },
      })),
    )
  })

  it('settles Solana payments for its own fee payer, once', async () => {
    const wallet = newSolanaWallet()
    const header = await solanaPayment(farebox, wallet, { change: blockhash })
    expect(decode(header).accepted).toMatchObject({ network: solana, payTo: payToSolana, extra: { feePayer } })
    facilitator.script.push('lose')
    expect((await topUp(header)).status).toBe(504)
    const again = await topUp(header)
    expect([again.status, again.json['data']]).toMatchObject([200, { walletAddress: wallet.address, amountCredited: 5 }])
    expect((await topUp(header)).text).toBe(again.text)
    expect([facilitator.landed.size, asked('/settle').length, await booked(wallet.address)]).toEqual([1, 2, 5_000_000n])
    // the offered block hash is no part of the terms
    expect(asked('/settle')[0]?.json.paymentRequirements).toMatchObject({ extra: { feePayer } })
  })

  it('that finds a payment wrong is believed: 402 with its reason, and nothing is settled', async () => {
    const wallet = newWallet()
    facilitator.verdicts.push({ status: 200, body: { isValid: false, invalidReason: 'insufficient_funds', payer: wallet.address } })
    const answer = await topUp(await farebox.pay(wallet))
    expect([answer.status, answer.json['error'], answer.json['accepts']]).toMatchObject([
      402,
      'insufficient_funds',
      [{ network: base }, {}],
    ])
    expect(decodeHeader(answer.headers, 'payment-response')).toMatchObject({ success: false, errorReason: 'insufficient_funds' })
    expect([asked('/settle').length, await booked(wallet.address)]).toEqual([0, 0n])
  })

  it.each([
    ['200', { status: 200, body: { success: false, errorReason: 'invalid_exact_evm_insufficient_balance', transaction: '' } }],
    ['400', { status: 400, body: { success: false, errorReason: 'invalid_exact_evm_insufficient_balance', transaction: '' } }],
  ])('that refuses to settle (%s) is believed, and may be asked again with the same payment', async (_status, step) => {
    const wallet = newWallet()
    const header = await farebox.pay(wallet)
    facilitator.script.push(step)
    const refused = await topUp(header)
    expect([refused.status, refused.json['error']]).toEqual([402, 'invalid_exact_evm_insufficient_balance'])
    expect([(await topUp(header)).status, asked('/verify').length, await booked(wallet.address)]).toEqual([200, 2, 5_000_000n])
  })

  const unknown: readonly (readonly [string, Step])[] = [
    ['breaks the connection after it settled', 'lose'],
    ['breaks the connection before it settled', 'drop'],
    ['answers 500 after it settled', { status: 500, body: {}, settles: true }],
    ['answers 502 with a refusal', { status: 502, body: { success: false, errorReason: 'insufficient_funds' } }],
    ['answers 200 and no settlement', { status: 200, body: '<html>', settles: true }],
    ['answers more than anybody should', { status: 200, body: { success: true, transaction, junk: 'x'.repeat(70_000) }, settles: true }],
    ['says that it is on its way', { status: 200, body: { success: false, errorReason: 'settlement_pending' }, settles: true }],
    ['says that it was settled before', { status: 400, body: { success: false, errorReason: 'duplicate_settlement' }, settles: true }],
    ['names another network', { lie: { network: 'eip155:84532' } }],
    ['names another payer', { lie: { payer: payee } }],
    ['names another amount', { lie: { amount: '1' } }],
    ['names no transaction', { lie: { transaction: '' } }],
  ]
  it.each(unknown)('that %s leaves the outcome unknown: 504, open, and credited once when it is asked again', async (_what, step) => {
    const wallet = newWallet()
    const header = await farebox.pay(wallet)
    facilitator.script.push(step)
    const first = await topUp(header, { idempotencyKey: `order-${wallet.address}` })
    expect([first.status, first.json['error'], await booked(wallet.address)]).toEqual([504, 'SETTLEMENT_TIMEOUT', 0n])
    expect(farebox.troubles).toEqual([expect.stringMatching(/^facilitator: Facilitator: what became of pay_[0-9a-f]{32} is not known/)])
    const answers = [await topUp(header), await topUp(header), await topUp(header, { idempotencyKey: `order-${wallet.address}` })]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect([facilitator.landed.size, asked('/verify').length, asked('/settle').length]).toEqual([1, 1, 2])
    expect(new Set(asked('/settle').map(({ text }) => text)).size).toBe(1)
    expect(await booked(wallet.address)).toBe(5_000_000n)
  })

  it('that does not answer in time leaves the outcome unknown', async () => {
    const wallet = newWallet()
    const header = await farebox.pay(wallet)
    facilitator.script.push('stall')
    const first = topUp(header)
    await facilitator.calls('/settle', 1)
    expect(timeouts.map(({ milliseconds }) => milliseconds)).toEqual([10_000, 10_000, 60_000])
    timeouts.at(-1)?.fire()
    expect((await first).status).toBe(504)
    expect([(await topUp(header)).status, facilitator.landed.size, await booked(wallet.address)]).toEqual([200, 1, 5_000_000n])
  })

  it('that refuses what it may have settled before is not believed: the payment stays open', async () => {
    const wallet = newWallet()
    const header = await farebox.pay(wallet)
    facilitator.script.push('lose', { status: 200, body: { success: false, errorReason: 'insufficient_funds' } }, { status: 401, body: {} })
    for (let time = 0; time < 3; time++) expect((await topUp(header)).status).toBe(504)
    expect([(await topUp(header)).status, await booked(wallet.address)]).toEqual([200, 5_000_000n])
  })

  it('is asked once for a payment that is sent many times at once; the others wait their turn', async () => {
    const wallet = newWallet()
    const header = await farebox.pay(wallet)
    let release: () => void = () => undefined
    facilitator.script.push({ hold: new Promise<void>((resolve) => (release = resolve)) })
    const first = topUp(header)
    await facilitator.calls('/settle', 1)
    const others = await Promise.all(Array.from({ length: 5 }, () => topUp(header)))
    expect(others.map(({ status, json }) => [status, json['error']])).toEqual(Array.from({ length: 5 }, () => [409, 'PAYMENT_IN_PROGRESS']))
    release()
    expect([(await first).status, (await topUp(header)).status, asked('/settle').length]).toEqual([200, 200, 1])
    expect(await booked(wallet.address)).toBe(5_000_000n)
  })

  it('is asked again by the process that comes after one that died, with the same bytes, though late and while nothing is offered', async () => {
    const wallet = newWallet()
    const header = await farebox.pay(wallet)
    const stranger = await farebox.pay(newWallet())
    facilitator.script.push('stall')
    void topUp(header).catch(() => undefined)
    await facilitator.calls('/settle', 1)
    facilitator.supported = 503
    const next = await serve()
    next.clock.time += 3_600_000
    expect([(await topUp(stranger, { via: next })).status, (await topUp(header, { via: next })).status]).toEqual([503, 200])
    expect([asked('/verify').length, new Set(asked('/settle').map(({ text }) => text)).size, facilitator.landed.size]).toEqual([1, 1, 1])
    expect(await booked(wallet.address)).toBe(5_000_000n)
  })

  it('is left alone with a payment that another process may be settling, until that one can no longer be at it', async () => {
    const wallet = newWallet()
    const header = await farebox.pay(wallet)
    facilitator.script.push('stall')
    void topUp(header).catch(() => undefined)
    await facilitator.calls('/settle', 1)
    const other = await serve({ databaseUrl: 'postgres://beside' })
    expect((await topUp(header, { via: other })).status).toBe(409)
    other.clock.time += 90_000
    expect([(await topUp(header, { via: other })).status, await booked(wallet.address)]).toEqual([200, 5_000_000n])
  })

  it('has its success credited by the next request when the process died between the two', async () => {
    const wallet = newWallet()
    const header = await farebox.pay(wallet)
    let down = true
    const database = {
      ...storage.database,
      close: async () => undefined,
      query: ((sql: string, params?: readonly unknown[]) =>
        down && sql.includes('insert into payment') ? Promise.reject(new Error('died')) : storage.database.query(sql, params)) as never,
    }
    const dying = await serve({ database })
    expect((await topUp(header, { via: dying })).status).toBe(500)
    down = false
    expect([(await topUp(header)).status, asked('/settle').length, await booked(wallet.address)]).toEqual([200, 1, 5_000_000n])
  })

  it('credits one payment of a nonce, and not another that the facilitator also says is settled', async () => {
    const wallet = newWallet()
    const nonce = `0x${randomBytes(32).toString('hex')}` as const
    expect((await topUp(await farebox.pay(wallet, { nonce }))).status).toBe(200)
    const other = await topUp(await farebox.pay(wallet, { nonce, usd: 7 }))
    expect([other.status, other.json['error'], await booked(wallet.address)]).toEqual([400, 'INVALID_PAYMENT', 5_000_000n])
  })

  it('is not asked about what is wrong on its face', async () => {
    const wrong = [
      await farebox.pay(newWallet(), { to: newWallet().address }),
      await farebox.pay(newWallet(), { signer: newWallet() }),
      await farebox.pay(newWallet(), { usd: 4 }),
      await farebox.pay(newWallet(), { accepted: { network: 'eip155:84532' } }),
    ]
    for (const header of wrong) expect((await topUp(header)).status).toBe(400)
    expect(facilitator.asked.map(({ path }) => path)).toEqual(['/supported'])
  })

  it.each([
    ['answers /verify with 500', { status: 500, body: {} }],
    ['answers /verify with 401', { status: 401, body: {} }],
    ['verifies another payer', { status: 200, body: { isValid: true, payer: payee } }],
    ['says nothing that can be read', { status: 200, body: 'ok' }],
  ])('that %s: 503, nothing is settled', async (_what, verdict) => {
    const wallet = newWallet()
    const header = await farebox.pay(wallet)
    facilitator.verdicts.push(verdict)
    const answer = await topUp(header)
    expect([answer.status, answer.json['error'], asked('/settle').length]).toEqual([503, 'X402_NOT_CONFIGURED', 0])
    expect([(await topUp(header)).status, await booked(wallet.address)]).toEqual([200, 5_000_000n])
  })

  it.each([401, 403, 404, 429])('that answers /settle with %s has not listened: 503, and the payment is not open', async (status) => {
    const header = await farebox.pay(newWallet())
    facilitator.script.push({ status, body: {} })
    expect([(await topUp(header)).status, (await topUp(header)).status, asked('/verify').length]).toEqual([503, 200, 2])
  })

  it('that cannot be reached: 503', async () => {
    const header = await farebox.pay(newWallet())
    await facilitator.close()
    expect((await topUp(header)).status).toBe(503)
    facilitator = await startFakeFacilitator()
  })

  it('that does not say what it settles: nothing is offered and nothing taken, until it does', async () => {
    facilitator.supported = 500
    farebox = await serve()
    const header = await farebox.pay(newWallet())
    expect([(await topUp()).status, (await topUp(header)).status, (await topUp('%%%')).status]).toEqual([503, 503, 503])
    const parse = await farebox.call('parseText', '/augment/text-parser', { method: 'POST' })
    expect([parse.status, parse.json['accepts']]).toEqual([402, []])
    facilitator.supported = supportsBoth
    farebox.clock.time += 5_000
    // the answer comes over a real connection
    while ((await topUp()).status === 503) await new Promise((resolve) => setImmediate(resolve))
    expect([(await topUp(header)).status, asked('/supported').length]).toEqual([200, 3])
  })

  it('is asked again after ten minutes what it settles, and believed meanwhile', async () => {
    facilitator.supported = 500
    farebox.clock.time += 599_999
    expect([(await topUp()).status, asked('/supported').length]).toEqual([402, 1])
    farebox.clock.time += 1
    expect([(await topUp()).status, (await topUp()).status]).toEqual([402, 402])
    await facilitator.calls('/supported', 2)
    expect([(await topUp()).status, asked('/supported').length]).toEqual([402, 2])
  })

  it.each([
    [
      'no test networks',
      {},
      { kinds: ['base-sepolia', 'solana-devnet'].map((network) => ({ x402Version: 1, scheme: 'exact', network })) },
      [],
    ],
    ['no other scheme', {}, { kinds: [{ x402Version: 2, scheme: 'upto', network: base }] }, []],
    ['nothing on Solana without a fee payer', {}, { kinds: [supportsBoth.kinds[0], { ...supportsBoth.kinds[1], extra: {} }] }, [base]],
    ['nothing on Solana without a payee', without('payToSolana'), supportsBoth, [base]],
    ['nothing on Base without a payee', without('payTo'), supportsBoth, [solana]],
    ['nothing for nonsense', {}, { kinds: [null, 1, 'x', [], { x402Version: '2' }] }, []],
  ])('has %s offered', async (_what, options, supported, offered) => {
    facilitator.supported = supported
    const { json } = await topUp(undefined, { via: await serve(options) })
    expect(((json['accepts'] ?? []) as { network: string }[]).map(({ network }) => network)).toEqual(offered)
  })

  it('has offers on Solana that name a recent block, where a node tells one, and is paid with it', async () => {
    const { recentBlockhash } = blockhash.extra
    const timeout = () => new AbortController().signal
    const node = {
      url: 'https://node.example',
      timeout,
      fetch: async () => Response.json({ result: { value: { blockhash: recentBlockhash } } }),
    }
    const via = await serve({ facilitator: { url: facilitator.url, key, timeout, solanaRpc: node } })
    const offers = (await topUp(undefined, { via })).json['accepts'] as { extra: object }[]
    expect(offers.map(({ extra }) => extra)).toEqual([
      { name: 'USD Coin', version: '2' },
      { feePayer, recentBlockhash },
    ])
    const wallet = newSolanaWallet()
    expect((await topUp(await solanaPayment(via, wallet), { via })).status).toBe(200)
    expect(await booked(wallet.address)).toBe(5_000_000n)
  })

  it('that fails is counted as an upstream that failed, and not as a crash', async () => {
    facilitator.script.push('lose')
    expect((await topUp(await farebox.pay(newWallet()))).status).toBe(504)
    const metrics = await (await farebox.service.fetch(new Request('http://127.0.0.1:4020/metrics'))).text()
    expect(metrics).toContain('farebox_upstream_troubles_total{upstream="facilitator"} 1\n')
    expect(metrics).not.toMatch(/farebox_crashes_total \d*[1-9]/)
    expect(farebox.crashes).toEqual([])
  })

  it('that redirects is not followed, and its key goes nowhere else', async () => {
    const heard: string[] = []
    const elsewhere = createServer((request, response) => (heard.push(request.url ?? ''), response.end('{}'))).listen(0, '127.0.0.1')
    await once(elsewhere, 'listening')
    const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`
    const redirecting = createServer((_request, response) => response.writeHead(308, { location }).end()).listen(0, '127.0.0.1')
    await once(redirecting, 'listening')
    const via = await serve({ facilitator: { url: `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`, key } })
    expect([(await topUp(undefined, { via })).status, heard, via.troubles]).toEqual([
      503,
      [],
      ['facilitator: Facilitator: /supported gave no list of what it settles (status 308)'],
    ])
    elsewhere.close()
    redirecting.close()
  })

  it('gets nothing secret into what is told: neither its key, which it may echo, nor what was signed', async () => {
    facilitator.verdicts.push({ status: 200, body: { isValid: false, invalidReason: `bad key ${key}` } })
    const header = await farebox.pay(newWallet())
    const answers = [await topUp(header)]
    facilitator.script.push('lose', { status: 400, body: { success: false, errorReason: key.toUpperCase() } })
    answers.push(await topUp(header), await topUp(header))
    const { signature } = decode(header).payload as unknown as { signature: string }
    const told = JSON.stringify([answers.map(({ text, headers }) => [text, ...headers]), farebox.troubles])
    expect(answers.map(({ status }) => status)).toEqual([402, 504, 504])
    expect(told.toLowerCase()).not.toContain(key)
    expect(told).not.toContain(signature.slice(2, 40))
  })

  it('may do anything: nothing is credited that has not landed, and nothing twice', async () => {
    const steps: Step[] = ['settle', 'lose', 'drop', ...unknown.map(([, step]) => step), { status: 429, body: {} }]
    const refusal: Step = { status: 200, body: { success: false, errorReason: 'insufficient_funds' } }
    const history = fc.array(fc.constantFrom(...steps, refusal), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 1, max: 3 }), async (script, parallel) => {
        const wallet = newWallet()
        const header = await farebox.pay(wallet)
        facilitator.script.splice(0, Infinity, ...script)
        const credits = new Set<string>()
        for (let round = 0; round < 8 && credits.size === 0; round++) {
          for (const { status, text } of await Promise.all(Array.from({ length: parallel }, () => topUp(header)))) {
            if (status === 200) credits.add(text)
            else expect([402, 409, 503, 504]).toContain(status)
          }
        }
        expect(credits.size).toBe(1)
        expect([...facilitator.landed].filter((payload) => payload.includes(wallet.address))).toHaveLength(1)
        expect(await farebox.ledger.balance(wallet.address)).toBe(5_000_000n)
      }),
      { numRuns: 40 },
    )
    expect(await farebox.ledger.audit()).toEqual([])
  })
})
