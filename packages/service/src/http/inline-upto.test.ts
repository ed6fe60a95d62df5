import { randomBytes } from 'node:crypto'
import { encodeJsonHeader, uptoSigner } from '@farebox/auth'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openEmptyDatabase } from '../../test/empty-database.js'
import { useFacilitator, key } from '../../test/use-facilitator.js'
import type { SpeechBackend } from '../domain/speech/speech-backend.js'
import { supportsUpto, transaction } from '../../test/fake-facilitator.js'
import {
  decodeHeader,
  createWallet,
  type TestResponse,
  type Harness,
  type TestWallet,
} from '../../test/harness.js'
import { createCountedSpeech, parse, say } from '../../test/inline-payment.js'
import { createAddress } from '../../test/other-address.js'

type Offers = readonly (Readonly<Record<string, unknown>> & {
  readonly scheme: string
  readonly network: string
  readonly amount: string
  readonly payTo: string
})[]

const speech = createCountedSpeech()
const operatorKey = 'operator-key-of-the-test'

describe('an upto payment', () => {
  const at = useFacilitator(async () => {
    const database = await openEmptyDatabase()
    return { database, close: database.close }
  })
  let farebox: Harness
  beforeEach(async () => {
    at.facilitator.supported = supportsUpto
    Object.assign(speech, { spoken: 0, fails: 0 })
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    farebox = await at.serve({
      facilitator: { url: at.facilitator.url, key, uptoUsd: 0.1 },
      speech,
      operatorKey,
      operatorChanges: true,
    })
  })
  afterEach(async () => {
    vi.useRealTimers()
    await farebox.service.close()
  })

  const readOffers = ({ headers }: TestResponse) =>
    decodeHeader(headers, 'payment-required')['accepts'] as Offers

  /** Signs the offer of a 402, over another maximum if one is given. */
  async function sign(
    wallet: TestWallet,
    usd?: number,
    timeoutSeconds = 900,
  ): Promise<{ 'payment-signature': string }> {
    const offer = readOffers(await say(farebox, {})).find(({ scheme }) => scheme === 'upto')
    if (!offer) throw new Error('There is no offer.')
    const amount = usd === undefined ? offer.amount : String(usd * 1e6)
    const { rail } = uptoSigner(wallet, { readAllowance: async () => 10n ** 12n })
    const { network, payTo } = offer
    const now = farebox.clock.time
    const signed = await rail.sign(
      { entry: offer, network, payTo, amount: BigInt(amount), timeoutSeconds },
      {
        amount: BigInt(amount),
        // a clock that is ahead, so that the signer takes the time of the offer
        now: now + timeoutSeconds * 1000,
        serviceNow: now,
        random: (bytes) => bytes.fill(0).map(() => randomBytes(1)[0] ?? 0),
      },
    )
    const accepted = { ...offer, amount }
    return {
      'payment-signature': encodeJsonHeader({ x402Version: 2, accepted, payload: signed.payload }),
    }
  }

  const entries = async ({ address }: TestWallet) =>
    (await farebox.ledger.entries(address, { limit: 10, offset: 0 })).entries.map(
      ({ type, amount }) => [type, amount],
    )
  const outcome = ({ status, json, headers }: TestResponse) => [
    status,
    json['code'] ?? null,
    headers.has('payment-response'),
  ]

  it('is offered next to exact, for the highest known price', async () => {
    const amounts = async (response: Promise<TestResponse>) =>
      readOffers(await response).map(({ scheme, amount }) => `${scheme} ${amount}`)
    expect(await amounts(parse(farebox, {}))).toEqual([
      'exact 5000000',
      'exact 5000000',
      'upto 10000',
    ])
    expect((await amounts(say(farebox, {}))).at(-1)).toBe('upto 100000')
    const { json } = await parse(farebox, {})
    expect(json['accepts']).toHaveLength(2)
  })

  it('settles what the call cost, and leaves no credit', async () => {
    const wallet = createWallet()
    const response = await parse(farebox, await sign(wallet, 0.05))
    expect([...outcome(response), response.json['text']]).toEqual([200, null, true, 'Tram fares'])
    expect(decodeHeader(response.headers, 'payment-response')).toEqual({
      success: true,
      transaction,
      network: 'eip155:8453',
      payer: wallet.address,
      amount: '10000',
    })
    expect(response.headers.get('x-balance-remaining')).toBe('0.000000')
    expect(await entries(wallet)).toEqual([
      ['CHARGE', -10_000n],
      ['TOP_UP', 10_000n],
    ])
    const [asked] = at.asked('/settle')
    expect(asked?.json.paymentRequirements).toMatchObject({ scheme: 'upto', amount: '10000' })
    expect(asked?.json.paymentPayload).toMatchObject({ accepted: { amount: '50000' } })
    expect(await farebox.ledger.audit()).toEqual([])
    expect(await farebox.metrics()).toMatch(/farebox_charged_usd_total\{[^}]+\} 0\.01/)
  })

  it('adds to the ledger of a wallet that has credit, without spending that credit', async () => {
    const wallet = await farebox.richWallet(1)
    await say(farebox, await sign(wallet))
    expect(await entries(wallet)).toEqual([
      ['CHARGE', -21n],
      ['TOP_UP', 21n],
      ['TOP_UP', 1_000_000n],
    ])
    expect(await at.credited(wallet.address)).toBe(1_000_000n)
  })

  it('settles a stream after its end', async () => {
    const wallet = createWallet()
    const response = await say(farebox, await sign(wallet), { input: 'Trams.', streaming: true })
    expect([response.status, response.bytes.length]).toEqual([200, 6])
    await expect
      .poll(() => entries(wallet))
      .toEqual([
        ['CHARGE', -21n],
        ['TOP_UP', 21n],
      ])
  })

  it('whose permit expires before it could be settled starts no work', async () => {
    const response = await say(farebox, await sign(createWallet(), undefined, 90))
    expect([...outcome(response), speech.spoken]).toEqual([402, null, false, 0])
    expect(response.json['error']).toContain('a deadline at least 100 s from now')
  })

  it('whose permit could be settled for years starts no work, and one for a day does', async () => {
    const response = await say(farebox, await sign(createWallet(), undefined, 10 ** 13))
    expect([...outcome(response), speech.spoken]).toEqual([402, null, false, 0])
    expect(response.json['error']).toContain('at most 86400 s')
    expect((await say(farebox, await sign(createWallet(), undefined, 86_400))).status).toBe(200)
  })

  it.each([
    ['before its response, costs nothing', 0, 402, []],
    [
      'in its stream, ends it and pays for what was delivered',
      1,
      undefined,
      [
        ['CHARGE', -4n],
        ['TOP_UP', 4n],
      ],
    ],
  ])('that expires %s', async (_when, made, status, paid) => {
    const wallet = createWallet()
    const paying = await sign(wallet, undefined, 101)
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const { speak } = speech
    const outlive: SpeechBackend['speak'] = async function* (_text, signal) {
      if (made > 0) yield { bytes: new Uint8Array(made), made }
      // 20 to 21 s are left for the work
      for (const [end, ms = 0] of timers.mock.calls) if (ms >= 20_000 && ms <= 21_000) end()
      signal.throwIfAborted()
    }
    Object.assign(speech, { speak: outlive })
    const answered = await say(farebox, paying).catch(() => undefined)
    Object.assign(speech, { speak })
    timers.mockRestore()
    expect(answered?.status).toBe(status)
    await expect.poll(() => entries(wallet)).toEqual(paid)
  })

  it('costs nothing when the call fails, and pays when it is retried', async () => {
    const wallet = createWallet()
    const paying = await sign(wallet)
    speech.fails = 1
    const failed = await say(farebox, paying)
    expect([...outcome(failed), failed.json['error']]).toEqual([
      500,
      'UNKNOWN_ERROR',
      false,
      'An unknown error occurred. Nothing was paid.',
    ])
    expect([await entries(wallet), at.asked('/settle').length]).toEqual([[], 0])
    expect((await say(farebox, paying)).status).toBe(200)
    expect(await entries(wallet)).toHaveLength(2)
  })

  it('returns the stored response to a retry, and nothing to another request', async () => {
    const wallet = createWallet()
    const paying = await sign(wallet)
    const first = await say(farebox, paying)
    const again = await say(farebox, paying)
    expect([again.status, again.bytes, again.headers.get('idempotent-replayed')]).toEqual([
      200,
      first.bytes,
      'true',
    ])
    expect(outcome(await say(farebox, paying, { input: 'Other.' }))).toEqual([
      409,
      'PAYMENT_USED',
      true,
    ])
    expect([speech.spoken, at.asked('/settle').length]).toEqual([1, 1])
  })

  it('pays for one request at a time', async () => {
    const paying = await sign(createWallet())
    const responses = await Promise.all(
      [0, 1, 2, 3].map((count) => say(farebox, paying, { input: `Trams ${count}.` })),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(3)
    expect(at.facilitator.landed.size).toBe(1)
  })

  it.each([
    ['under a cent', 0.009, 400, 'AMOUNT_TOO_LOW'],
    ['of less than the price', 0.01, 402, null],
  ])('%s is not accepted, and nothing is settled', async (_what, usd, status, code) => {
    const input = 'A long way to go. '.repeat(220)
    const response = await say(farebox, await sign(createWallet(), usd), { input })
    expect(outcome(response)).toEqual([status, code, false])
    expect(at.asked('/settle')).toEqual([])
  })

  it('does not pay for credit, nor for work that goes on after its response', async () => {
    const paying = await sign(createWallet())
    const topUp = await at.topUp(paying['payment-signature'], { via: farebox })
    expect([topUp.status, topUp.json['error']]).toEqual([400, 'UNSUPPORTED_SCHEME'])
    const video = await farebox.call('queueVideo', '/video/queue', {
      method: 'POST',
      body: JSON.stringify({
        model: 'local-test-clip',
        prompt: 'A tram',
        duration: '2s',
        resolution: '256p',
      }),
      headers: { 'content-type': 'application/json', ...paying },
      from: createAddress(),
    })
    expect(outcome(video)).toEqual([400, 'UNSUPPORTED_SCHEME', false])
  })

  it('that the facilitator does not verify starts no work', async () => {
    at.facilitator.verdicts.push({
      status: 200,
      body: { isValid: false, invalidReason: 'permit2_allowance_required' },
    })
    const response = await say(farebox, await sign(createWallet()))
    expect(response.status).toBe(402)
    expect(decodeHeader(response.headers, 'payment-response')).toMatchObject({
      success: false,
      errorReason: 'permit2_allowance_required',
    })
    expect(speech.spoken).toBe(0)
  })

  it('whose settlement fails before the response withholds the response', async () => {
    const wallet = createWallet()
    at.facilitator.script.push({
      status: 200,
      body: { success: false, errorReason: 'insufficient_funds' },
    })
    const response = await parse(farebox, await sign(wallet))
    expect(response.status).toBe(402)
    expect(response.json['text']).toBeUndefined()
    expect((await say(farebox, await sign(wallet))).status).toBe(200)
  })

  it('whose settlement fails after a stream blocks the wallet until a retry settles it', async () => {
    const wallet = createWallet()
    at.facilitator.script.push({
      status: 200,
      body: { success: false, errorReason: 'insufficient_funds' },
    })
    await say(farebox, await sign(wallet), { input: 'Trams.', streaming: true })
    expect(await farebox.metrics()).toMatch(
      /farebox_unsettled_usd_total\{capability="speech",model="[^"]+"\} 0\.000021/,
    )
    const rejected = await say(farebox, await sign(wallet))
    expect([rejected.status, rejected.json['error']]).toEqual([
      402,
      expect.stringContaining('is not settled yet'),
    ])
    expect((await say(farebox, await sign(createWallet()))).status).toBe(200)

    farebox.clock.time += 60_000
    await vi.advanceTimersByTimeAsync(20_000)
    await expect
      .poll(() => entries(wallet))
      .toEqual([
        ['CHARGE', -21n],
        ['TOP_UP', 21n],
      ])
    expect((await say(farebox, await sign(wallet))).status).toBe(200)
    expect(await farebox.ledger.audit()).toEqual([])
  })

  it('that can no longer be settled is written off by the operator, which unblocks the wallet', async () => {
    const operator = async (path: string, body?: object) => {
      const response = await farebox.service.operator(
        new Request(`http://127.0.0.1:4021/operator/v1${path}`, {
          headers: { authorization: `Bearer ${operatorKey}` },
          ...(body && { method: 'POST', body: JSON.stringify(body) }),
        }),
      )
      return { status: response.status, json: (await response.json()) as Record<string, unknown> }
    }
    const wallet = createWallet()
    at.facilitator.script.push({
      status: 200,
      body: { success: false, errorReason: 'insufficient_funds' },
    })
    await say(farebox, await sign(wallet), { input: 'Trams.', streaming: true })
    const { json } = await operator('/debts')
    const [debt] = json['debts'] as { id: string; settleUntil: string }[]
    expect(json['debts']).toMatchObject([
      { account: wallet.address, amount: 0.000021, network: 'eip155:8453' },
    ])
    const writeOff = () =>
      operator(`/debts/${debt?.id}/write-off`, { reason: 'the wallet is empty', actor: 'Ada' })
    expect(await writeOff()).toMatchObject({ status: 409, json: { code: 'DEBT_CAN_BE_SETTLED' } })

    farebox.clock.time = Date.parse(debt?.settleUntil ?? '')
    expect(await writeOff()).toMatchObject({
      status: 200,
      json: { account: wallet.address, amount: 0.000021 },
    })
    expect((await writeOff()).status).toBe(404)
    expect((await operator('/debts')).json['debts']).toEqual([])
    const { entries: found } = await farebox.ledger.entries(wallet.address, {
      limit: 10,
      offset: 0,
    })
    expect(found.map(({ type, amount, actor, reason }) => [type, amount, actor, reason])).toEqual([
      ['CHARGE', -21n, null, null],
      ['GRANT', 21n, 'Ada', 'the wallet is empty'],
    ])
    expect(await farebox.ledger.audit()).toEqual([])
    expect((await say(farebox, await sign(wallet))).status).toBe(200)
  })

  it('whose settlement outcome is unknown returns its response, and is settled once', async () => {
    const wallet = createWallet()
    at.facilitator.script.push('lose')
    const response = await parse(farebox, await sign(wallet))
    expect([...outcome(response), response.json['text']]).toEqual([200, null, false, 'Tram fares'])
    expect(await entries(wallet)).toEqual([])
    farebox.clock.time += 60_000
    await vi.advanceTimersByTimeAsync(20_000)
    await expect
      .poll(() => entries(wallet))
      .toEqual([
        ['CHARGE', -10_000n],
        ['TOP_UP', 10_000n],
      ])
    const bodies = at.asked('/settle').map(({ text }) => text)
    expect([bodies.length, new Set(bodies).size]).toEqual([2, 1])
  })

  it('is not offered by a service without the option', async () => {
    expect(readOffers(await say(at.farebox, {})).map(({ scheme }) => scheme)).toEqual([
      'exact',
      'exact',
    ])
    const response = await say(at.farebox, await sign(createWallet()))
    expect(outcome(response)).toEqual([400, 'UNSUPPORTED_SCHEME', false])
  })
})
