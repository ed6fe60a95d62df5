import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  adminKey,
  decodeHeader,
  createWallet,
  startService,
  type TestResponse,
  type Harness,
} from '../../test/harness.js'
import { createCountedSpeech, parse, createPayer, say } from '../../test/inline-payment.js'
import { createAddress } from '../../test/other-address.js'
import { createSolanaWallet, signSolanaPayment } from '../../test/solana.js'

const speech = createCountedSpeech()
let farebox: Harness
beforeAll(async () => void (farebox = await startService({ speech })))
beforeEach(() => Object.assign(speech, { spoken: 0, fails: 0 }))
afterAll(() => farebox.service.close())

const toOutcome = ({ status, json, headers }: TestResponse) => [
  status,
  json['code'] ?? null,
  headers.get('x-balance-remaining'),
]
const readBalance = (wallet: { readonly address: string }) => farebox.ledger.balance(wallet.address)

describe('a payment that comes with a paid request', () => {
  it('is credited to its signer, and pays for the request', async () => {
    const { wallet, paying } = await createPayer(farebox)
    const response = await parse(farebox, paying)
    expect([...toOutcome(response), response.json['text']]).toEqual([
      200,
      null,
      '4.990000',
      'Tram fares',
    ])
    expect(decodeHeader(response.headers, 'payment-response')).toEqual({
      success: true,
      transaction: '',
      network: 'eip155:8453',
      payer: wallet.address,
    })
    expect(await readBalance(wallet)).toBe(4_990_000n)
  })

  it.each([
    ['payment-signature', 'v2'],
    ['x-402-payment', 'v2'],
    ['x-payment', 'v1'],
    ['x-payment', 'hybrid'],
  ] as const)(
    'is accepted from %s in the shape %s, which determines whether the response uses version 1',
    async (name, shape) => {
      const wallet = createWallet()
      const response = await say(farebox, { [name]: await farebox.pay(wallet, { shape }) })
      expect(toOutcome(response)).toEqual([200, null, '4.999979'])
      const v1 = { success: true, transaction: '', network: 'base', payer: wallet.address }
      expect(
        response.headers.has('x-payment-response')
          ? decodeHeader(response.headers, 'x-payment-response')
          : 'v2',
      ).toEqual(shape === 'v2' ? 'v2' : v1)
    },
  )

  it('is accepted on Solana', async () => {
    const wallet = createSolanaWallet()
    const response = await parse(farebox, {
      'payment-signature': await signSolanaPayment(farebox, wallet),
    })
    expect([...toOutcome(response), await readBalance(wallet)]).toEqual([
      200,
      null,
      '4.990000',
      4_990_000n,
    ])
  })

  it('pays for a video, whose price its handler finds', async () => {
    const { wallet, paying } = await createPayer(farebox)
    const response = await queue(paying)
    expect([response.status, response.headers.has('payment-response')]).toEqual([200, true])
    expect(await readBalance(wallet)).toBeLessThan(5_000_000n)
  })

  it('leaves the rate limit headers of its operation in the response', async () => {
    const { paying } = await createPayer(farebox)
    expect((await say(farebox, paying)).headers.get('x-ratelimit-limit-requests')).toBe('60')
  })

  it('is rejected with the Idempotency-Key of a request that another payment has paid', async () => {
    const wallet = createWallet()
    const paying = async () => ({
      'payment-signature': await farebox.pay(wallet),
      'idempotency-key': 'order-7',
    })
    const first = await say(farebox, await paying())
    const again = await say(farebox, await paying())
    expect([again.status, again.bytes, again.headers.get('payment-response')]).toEqual([
      200,
      first.bytes,
      null,
    ])
    expect([await readBalance(wallet), await countCharges(wallet)]).toEqual([4_999_979n, 1])
  })

  it('counts as a top-up of the address that sends it', async () => {
    const from = createAddress()
    const statuses = []
    for (let count = 0; count < 11; count++) {
      const { paying: headers } = await createPayer(farebox)
      statuses.push(
        (
          await farebox.call('parseText', '/augment/text-parser', {
            method: 'POST',
            body: createForm(),
            headers,
            from,
          })
        ).status,
      )
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429])
  })
})

describe('a payment that is repeated', () => {
  it('returns the stored response to the same request without a charge', async () => {
    const { wallet, paying } = await createPayer(farebox)
    const first = await say(farebox, paying)
    const again = await say(farebox, paying)
    expect([again.status, again.bytes, again.headers.get('idempotent-replayed')]).toEqual([
      200,
      first.bytes,
      'true',
    ])
    expect(decodeHeader(again.headers, 'payment-response')).toMatchObject({ success: true })
    expect([speech.spoken, await countCharges(wallet)]).toEqual([1, 1])
  })

  it('buys nothing for another body, another operation or another key, and shows no balance', async () => {
    const { wallet, paying } = await createPayer(farebox)
    await say(farebox, paying)
    const attacks = [
      await say(farebox, paying, { input: 'Other.' }),
      await parse(farebox, paying),
      await queue(paying),
      await say(farebox, { ...paying, 'idempotency-key': 'mine' }),
    ]
    expect(attacks.map(toOutcome)).toEqual(attacks.map(() => [409, 'PAYMENT_USED', null]))
    expect([speech.spoken, await countCharges(wallet)]).toEqual([1, 1])
  })

  it('buys nothing once the stored response has expired', async () => {
    const { wallet, paying } = await createPayer(farebox)
    await say(farebox, paying)
    await farebox.database.query('delete from keyed_request')
    expect(toOutcome(await say(farebox, paying)).slice(0, 2)).toEqual([409, 'DONE_BEFORE'])
    await farebox.database.query(`delete from idempotency`)
    expect(toOutcome(await say(farebox, paying))).toEqual([409, 'PAYMENT_USED', null])
    expect([speech.spoken, await countCharges(wallet)]).toEqual([1, 1])
  })

  it('returns a stored response of its wallet only if it paid for it', async () => {
    const wallet = await farebox.richWallet()
    const key = { 'idempotency-key': 'secret-order' }
    await say(farebox, { ...(await farebox.signIn(wallet)), ...key })
    const used = { 'payment-signature': await farebox.pay(wallet) }
    await parse(farebox, used)
    expect(toOutcome(await say(farebox, { ...used, ...key }))).toEqual([409, 'PAYMENT_USED', null])
  })

  it('buys no request that a sign-in or a top-up was credited with', async () => {
    const { wallet, paying } = await createPayer(farebox)
    await say(farebox, { ...(await farebox.signIn(wallet)), ...paying })
    expect(toOutcome(await say(farebox, paying))).toEqual([409, 'PAYMENT_USED', null])
    const other = await createPayer(farebox)
    await farebox.call('topUp', '/x402/top-up', {
      method: 'POST',
      headers: other.paying,
      from: createAddress(),
    })
    expect(toOutcome(await say(farebox, other.paying))).toEqual([409, 'PAYMENT_USED', null])
  })

  it('is paid from the balance of a wallet that signs in', async () => {
    const { wallet, paying } = await createPayer(farebox)
    await parse(farebox, paying)
    const response = await parse(
      farebox,
      { ...paying, ...(await farebox.signIn(wallet)) },
      'Other fares',
    )
    expect([...toOutcome(response), response.json['text']]).toEqual([
      200,
      null,
      '4.980000',
      'Other fares',
    ])
  })

  it("spends no more of the wallet's credit than it paid", async () => {
    const wallet = await farebox.richWallet(100)
    const response = await queue(
      { 'payment-signature': await farebox.pay(wallet) },
      { model: 'seedance-2-0-text-to-video', duration: '15s', resolution: '1080p' },
    )
    expect([response.status, await readBalance(wallet)]).toEqual([402, 100_000_000n])
    const { accepts } = decodeHeader(response.headers, 'payment-required') as {
      readonly accepts: readonly { readonly amount: string }[]
    }
    expect(Number(accepts[0]?.amount)).toBeGreaterThan(5_000_000)
  })

  it('does not repeat the charge for a stream that its caller abandoned', async () => {
    const { wallet, paying } = await createPayer(farebox)
    const input = { input: 'A long way. '.repeat(40), streaming: true }
    const headers = { 'content-type': 'application/json', ...paying }
    const request = new Request('http://127.0.0.1:4020/api/v1/audio/speech', {
      method: 'POST',
      body: JSON.stringify(input),
      headers,
    })
    const reader = (
      await farebox.service.fetch(request, { remoteAddress: createAddress() })
    ).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await expect.poll(() => countCharges(wallet)).toBe(1)
    expect(toOutcome(await say(farebox, paying, input)).slice(0, 2)).toEqual([409, 'DONE_BEFORE'])
    expect(await countCharges(wallet)).toBe(1)
  })
})

describe('a request that fails', () => {
  it.each([
    ['a body that is not valid', () => say(farebox, getUnusedPayment(), { input: '' })],
    [
      'a voice of another model',
      () => say(farebox, getUnusedPayment(), { input: 'Trams.', voice: 'tara' }),
    ],
    [
      'a video that its model does not make',
      () => queue(getUnusedPayment(), { duration: '25s', resolution: '4k' }),
    ],
  ])('for %s takes no payment', async (_what, send) => {
    pending = await createPayer(farebox)
    const response = await send()
    expect([
      response.status,
      response.headers.get('payment-response'),
      await readBalance(pending.wallet),
    ]).toEqual([400, null, 0n])
    expect((await say(farebox, getUnusedPayment())).status).toBe(200)
  })

  it('after its payment keeps the credit, says so, and runs once when it is sent again', async () => {
    const { wallet, paying } = await createPayer(farebox)
    speech.fails = 1
    const failed = await say(farebox, paying)
    expect(toOutcome(failed)).toEqual([500, 'UNKNOWN_ERROR', '5.000000'])
    expect(failed.json['error']).toBe(
      `An unknown error occurred. The payment of 5.000000 USD was credited to ${wallet.address} and stays there. Sign in with that wallet to spend it or send this request again with the same payment.`,
    )
    expect(decodeHeader(failed.headers, 'payment-response')).toMatchObject({
      success: true,
      payer: wallet.address,
    })
    expect(toOutcome(await say(farebox, paying, { input: 'Other.' }))).toEqual([
      409,
      'PAYMENT_USED',
      null,
    ])
    expect([
      (await say(farebox, paying)).status,
      (await say(farebox, paying)).status,
      await countCharges(wallet),
    ]).toEqual([200, 200, 1])
  })
})

describe("a payment from an account other than the caller's", () => {
  it.each([
    ['a wallet', async () => farebox.signIn(await farebox.richWallet())],
    ['an API key', async () => ({ authorization: `Bearer ${adminKey}` })],
  ])('is not accepted from %s', async (_who, credentials) => {
    const { wallet, paying } = await createPayer(farebox)
    const response = await say(farebox, { ...paying, ...(await credentials()) })
    expect([...toOutcome(response), await readBalance(wallet)]).toEqual([
      403,
      'X402_WALLET_MISMATCH',
      null,
      0n,
    ])
  })

  it('is not accepted with an invalid sign-in', async () => {
    const { wallet, paying } = await createPayer(farebox)
    expect((await say(farebox, { ...paying, 'sign-in-with-x': 'e30=' })).status).toBe(401)
    expect(await readBalance(wallet)).toBe(0n)
  })
})

describe('an invalid payment', () => {
  it.each([
    ['less than 5 USD', { usd: 4.99 }, 'AMOUNT_TOO_LOW'],
    ['of another wallet', { signer: createWallet() }, 'PAYMENT_VERIFICATION_FAILED'],
  ] as const)('%s is 400', async (_what, changes, code) => {
    const response = await say(farebox, {
      'payment-signature': await farebox.pay(createWallet(), changes),
    })
    expect([...toOutcome(response), response.headers.get('payment-response')]).toEqual([
      400,
      code,
      null,
      null,
    ])
  })
})

describe('the offers of a 402', () => {
  it.each([
    ['speech', () => say(farebox, {}), 'audio/speech', '5000000'],
    ['text parsing', () => parse(farebox, {}), 'augment/text-parser', '5000000'],
    ['a video', () => queue({}), 'video/queue', '10000000'],
  ])('for %s name its URL and can pay for it', async (_what, ask, path, amount) => {
    const { status, headers, json } = await ask()
    const url = `http://127.0.0.1:4020/api/v1/${path}`
    expect(status).toBe(402)
    expect(decodeHeader(headers, 'payment-required')).toMatchObject({
      x402Version: 2,
      resource: { url },
      accepts: [{ amount }, { amount }],
    })
    expect(json).toMatchObject({
      x402Version: 1,
      accepts: [
        { network: 'base', resource: url, maxAmountRequired: amount },
        { network: 'solana' },
      ],
    })
  })

  it('are absent for an operation without a price', async () => {
    const { status, headers } = await farebox.call('retrieveVideo', '/video/retrieve', {
      method: 'POST',
      from: createAddress(),
    })
    expect([status, decodeHeader(headers, 'payment-required')['accepts']]).toEqual([402, []])
  })

  it('also name the request for a wallet without credit', async () => {
    const { status, headers } = await say(farebox, await farebox.signIn(createWallet()))
    expect([status, decodeHeader(headers, 'payment-required')['resource']]).toMatchObject([
      402,
      { url: 'http://127.0.0.1:4020/api/v1/audio/speech' },
    ])
  })
})

let pending: Awaited<ReturnType<typeof createPayer>> | undefined
const getUnusedPayment = () => pending?.paying ?? {}

async function countCharges(wallet: { readonly address: string }): Promise<number> {
  const { entries } = await farebox.ledger.entries(wallet.address, { limit: 10, offset: 0 })
  return entries.filter(({ type }) => type === 'CHARGE').length
}

function createForm(): FormData {
  const body = new FormData()
  body.append('file', new Blob(['Tram fares']), 'document')
  return body
}

function queue(
  headers: Readonly<Record<string, string>>,
  changes: object = {},
): Promise<TestResponse> {
  const clip = {
    model: 'local-test-clip',
    prompt: 'A tram',
    duration: '2s',
    resolution: '256p',
    ...changes,
  }
  return farebox.call('queueVideo', '/video/queue', {
    method: 'POST',
    body: JSON.stringify(clip),
    headers: { 'content-type': 'application/json', ...headers },
    from: createAddress(),
  })
}
