import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  decodeHeader,
  createWallet,
  payee,
  startService,
  type Harness,
  type PaymentChanges,
} from '../../test/harness.js'

let farebox: Harness
let serial = 0
beforeAll(async () => void (farebox = await startService()))
afterAll(() => farebox.service.close())

/** Each from an address of its own, so that no limit is met. */
const topUp = (headers: Readonly<Record<string, string>> = {}) =>
  farebox.call('topUp', '/x402/top-up', {
    method: 'POST',
    headers,
    from: `10.0.${Math.floor(++serial / 250)}.${serial % 250}`,
  })

describe('discovery', () => {
  const url = 'http://127.0.0.1:4020/api/v1/x402/top-up'
  const terms = { scheme: 'exact', amount: '5000000', maxTimeoutSeconds: 300 }
  const onBase = {
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    payTo: payee,
    extra: { name: 'USD Coin', version: '2' },
  }
  const onSolana = {
    asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    payTo: '1nc1nerator11111111111111111111111111111111',
    extra: {
      feePayer: 'FareboxNobodyPaysTheFee11111111111111111111',
      recentBlockhash: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/) as string,
    },
  }

  it('lists offers in the header for clients of version 2', async () => {
    const response = await topUp()
    expect(response.status).toBe(402)
    expect(decodeHeader(response.headers, 'payment-required')).toEqual({
      x402Version: 2,
      resource: {
        url,
        description: 'Credit for the wallet that pays',
        mimeType: 'application/json',
      },
      accepts: [
        { ...terms, network: 'eip155:8453', ...onBase },
        { ...terms, network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', ...onSolana },
      ],
      extensions: {
        bazaar: expect.anything() as object,
        'payment-identifier': { info: { required: false }, schema: expect.anything() as object },
      },
    })
  })

  it('lists the same offers in the body for clients of version 1', async () => {
    const bought = {
      resource: url,
      description: 'Credit for the wallet that pays',
      mimeType: 'application/json',
    }
    const v1 = { ...terms, maxAmountRequired: '5000000', ...bought }
    expect((await topUp()).json).toEqual({
      x402Version: 1,
      accepts: [
        { ...v1, network: 'base', ...onBase },
        { ...v1, network: 'solana', ...onSolana },
      ],
    })
  })
})

describe('a payment', () => {
  it('is credited to the wallet that signed it', async () => {
    const wallet = createWallet()
    const response = await topUp({ 'payment-signature': await farebox.pay(wallet, { usd: 12.34 }) })
    expect(response.status).toBe(200)
    expect(response.json).toMatchObject({
      success: true,
      data: { walletAddress: wallet.address, amountCredited: 12.34, newBalance: 12.34 },
    })
    expect(response.json).toMatchObject({
      data: { paymentId: expect.stringMatching(/^pay_[0-9a-f]{32}$/) as string },
    })
    expect(decodeHeader(response.headers, 'payment-response')).toEqual({
      success: true,
      transaction: '',
      network: 'eip155:8453',
      payer: wallet.address,
    })
    expect(response.headers.get('x-farebox-backend')).toBe('payments=local')
    expect(await farebox.ledger.balance(wallet.address)).toBe(12_340_000n)
  })

  it('has a version 1 receipt header and network name if it is in version 1', async () => {
    const wallet = createWallet()
    const header = await farebox.pay(wallet, { shape: 'v1' })
    for (const response of [
      await topUp({ 'x-payment': header }),
      await topUp({ 'x-payment': header }),
    ])
      expect(decodeHeader(response.headers, 'x-payment-response')).toEqual({
        success: true,
        transaction: '',
        network: 'base',
        payer: wallet.address,
      })
    const other = await topUp({ 'payment-signature': await farebox.pay(createWallet()) })
    expect(other.headers.has('x-payment-response')).toBe(false)
  })

  it.each(['payment-signature', 'x-402-payment', 'x-payment'])(
    'is accepted in the header %s',
    async (name) => {
      expect((await topUp({ [name]: await farebox.pay(createWallet()) })).status).toBe(200)
    },
  )

  it.each(['v2', 'v1', 'hybrid'] as const)('is accepted in the %s shape', async (shape) => {
    expect(
      (await topUp({ 'payment-signature': await farebox.pay(createWallet(), { shape }) })).status,
    ).toBe(200)
  })

  it('is credited once when sent ten times concurrently, each with the same response', async () => {
    const wallet = createWallet()
    const header = await farebox.pay(wallet)
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => topUp({ 'payment-signature': header })),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect(await farebox.ledger.balance(wallet.address)).toBe(5_000_000n)
  })

  it('returns the same response when it is sent again after it expired, and after other credit', async () => {
    const wallet = createWallet()
    const header = await farebox.pay(wallet)
    const first = await topUp({ 'payment-signature': header })
    await topUp({ 'payment-signature': await farebox.pay(wallet, { usd: 6 }) })
    farebox.clock.time += 3_600_000
    const again = await topUp({ 'payment-signature': header })
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(await farebox.ledger.balance(wallet.address)).toBe(11_000_000n)
  })

  it('returns the same response after it expired, however short its validity', async () => {
    const now = Math.floor(farebox.clock.time / 1000)
    const header = await farebox.pay(createWallet(), { validAfter: now, validBefore: now + 20 })
    const first = await topUp({ 'payment-signature': header })
    farebox.clock.time += 60_000
    const again = await topUp({ 'payment-signature': header })
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
  })

  it('is credited once when its nonce is signed again with another expiry', async () => {
    const wallet = createWallet()
    const nonce = `0x${'ac'.repeat(32)}` as const
    const first = await topUp({ 'payment-signature': await farebox.pay(wallet, { nonce }) })
    const again = await farebox.pay(wallet, { nonce, validBefore: 9_999_999_999 })
    const second = await topUp({ 'payment-signature': again })
    expect([second.status, second.json]).toEqual([200, first.json])
  })

  it('cannot use the nonce of another payment', async () => {
    const wallet = createWallet()
    const nonce = `0x${'ab'.repeat(32)}` as const
    await topUp({ 'payment-signature': await farebox.pay(wallet, { nonce }) })
    const other = await topUp({ 'payment-signature': await farebox.pay(wallet, { nonce, usd: 7 }) })
    expect([other.status, other.json['error']]).toEqual([400, 'INVALID_PAYMENT'])
    expect(await farebox.ledger.balance(wallet.address)).toBe(5_000_000n)
  })

  it('with an id of the payment-identifier extension is replayed, and reserves that id', async () => {
    const wallet = createWallet()
    const identify = (header: string, id: string) => {
      const payment = JSON.parse(Buffer.from(header, 'base64').toString()) as object
      const extensions = { 'payment-identifier': { info: { required: false, id } } }
      return Buffer.from(JSON.stringify({ ...payment, extensions })).toString('base64')
    }
    const send = async (id: string, header: string) =>
      topUp({ 'payment-signature': identify(header, id) })
    const [first, other] = [await farebox.pay(wallet), await farebox.pay(wallet)]
    const responses = [
      await send('order-1-of-2026-06-30', first),
      await send('order-1-of-2026-06-30', first),
      await send('order-1-of-2026-06-30', other),
      await send('short', other),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 409, 400])
    expect(responses[1]?.headers.get('payment-response')).toBe(
      responses[0]?.headers.get('payment-response'),
    )
    expect(await farebox.ledger.balance(wallet.address)).toBe(5_000_000n)
  })

  it('is 409 with the Idempotency-Key of another payment, and 200 with its own', async () => {
    const wallet = createWallet()
    const header = await farebox.pay(wallet)
    const first = await topUp({ 'payment-signature': header, 'idempotency-key': 'order-1' })
    const again = await topUp({ 'payment-signature': header, 'idempotency-key': 'order-1' })
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null])
    expect([again.status, again.headers.get('idempotent-replayed'), again.text]).toEqual([
      200,
      'true',
      first.text,
    ])
    const other = await topUp({
      'payment-signature': await farebox.pay(wallet),
      'idempotency-key': 'order-1',
    })
    expect([other.status, other.json['error']]).toEqual([409, 'IDEMPOTENCY_CONFLICT'])
    expect(await farebox.ledger.balance(wallet.address)).toBe(5_000_000n)
  })
})

describe('a payment that is rejected', () => {
  const stranger = createWallet()
  const cases: readonly (readonly [string, string, PaymentChanges])[] = [
    ['less than 5 USD', 'AMOUNT_TOO_LOW', { usd: 4.999999 }],
    ['more than 10,000 USD', 'AMOUNT_TOO_HIGH', { usd: 10_000.000001 }],
    ['to another payee', 'INVALID_PAYMENT_RECIPIENT', { to: stranger.address }],
    [
      'to itself in disguise: accepted names the payee, the signature another',
      'INVALID_PAYMENT_RECIPIENT',
      { to: stranger.address, accepted: { payTo: payee } },
    ],
    [
      'over another amount than accepted',
      'INVALID_AMOUNT',
      { usd: 5, accepted: { amount: '6000000' } },
    ],
    ['on another network', 'UNSUPPORTED_NETWORK', { accepted: { network: 'eip155:1' } }],
    [
      'of an EVM wallet on Solana',
      'INVALID_PAYMENT_FORMAT',
      { accepted: { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' } },
    ],
    [
      'on a test network of Solana',
      'INVALID_PAYMENT_FORMAT',
      { accepted: { network: 'solana-devnet' } },
    ],
    ['in another asset', 'UNSUPPORTED_TOKEN', { accepted: { asset: stranger.address } }],
    ['of another scheme', 'UNSUPPORTED_SCHEME', { accepted: { scheme: 'upto' } }],
    ['with other terms', 'INVALID_PAYMENT', { accepted: { maxTimeoutSeconds: 999 } }],
    [
      'that is not yet valid',
      'PAYMENT_VERIFICATION_FAILED',
      { validAfter: 4_000_000_000, validBefore: 4_000_000_300 },
    ],
    ['that is too late', 'PAYMENT_VERIFICATION_FAILED', { validBefore: 1_700_000_000 }],
    ['signed by another wallet', 'PAYMENT_VERIFICATION_FAILED', { signer: stranger }],
    ['signed for another chain', 'PAYMENT_VERIFICATION_FAILED', { domain: { chainId: 84532 } }],
    ['signed under another name', 'PAYMENT_VERIFICATION_FAILED', { domain: { name: 'USDC' } }],
  ]

  it.each(cases)('%s: %s', async (_what, code, changes) => {
    const wallet = createWallet()
    const response = await topUp({ 'payment-signature': await farebox.pay(wallet, changes) })
    expect([response.status, response.json['error']]).toEqual([400, code])
    expect(await farebox.ledger.balance(wallet.address)).toBe(0n)
  })

  it.each([
    ['no base64', '%%%'],
    ['no JSON', btoa('hello')],
    ['an empty object', btoa('{}')],
    ['a version of the future', btoa('{"x402Version":3}')],
    ['longer than 8 kB', btoa(JSON.stringify({ x402Version: 2, junk: 'x'.repeat(9_000) }))],
    ['a prototype for a key', btoa('{"x402Version":2,"__proto__":{"accepted":{}},"payload":{}}')],
  ])('%s: INVALID_PAYMENT_FORMAT', async (_what, header) => {
    const response = await topUp({ 'payment-signature': header })
    expect([response.status, response.json['error']]).toEqual([400, 'INVALID_PAYMENT_FORMAT'])
  })
})
