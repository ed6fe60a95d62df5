import { mppSigner, type PaymentTerms } from '@farebox/auth'
import { encodeBase64url, parsePaymentCredential } from '@farebox/auth/verify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  adminKey,
  decodeHeader,
  createWallet,
  startService,
  type TestResponse,
  type Harness,
  type TestWallet,
} from '../../test/harness.js'
import { parse } from '../../test/inline-payment.js'
import { createAddress } from '../../test/other-address.js'

let farebox: Harness
beforeAll(async () => void (farebox = await startService()))
afterAll(() => farebox.service.close())

const topUp = (headers: Readonly<Record<string, string>> = {}): Promise<TestResponse> =>
  farebox.call('topUp', '/x402/top-up', { method: 'POST', headers, from: createAddress() })

/** The credential that our client sends for a 402. */
async function sign(wallet: TestWallet, required: TestResponse): Promise<string> {
  const { rail } = mppSigner(wallet)
  const response = new Response(null, { headers: required.headers })
  const { time } = farebox.clock
  const { accepts = [] } = (await rail.readOffers?.(response, time)) ?? {}
  const [entry = {}] = accepts
  const amount = BigInt(String(entry['amount']))
  const offer = {
    entry,
    network: String(entry['network']),
    payTo: String(entry['payTo']),
    amount,
    timeoutSeconds: Number(entry['maxTimeoutSeconds']),
  }
  const terms: PaymentTerms = { amount, serviceNow: time, now: time, random: (bytes) => bytes }
  return (await rail.sign(offer, terms)).header?.value ?? ''
}

const readBalance = (wallet: TestWallet) => farebox.ledger.balance(wallet.address)

it('a 402 has a challenge for its EVM offer, and a payment for it is credited once', async () => {
  const wallet = createWallet()
  const required = await topUp()
  expect(required.headers.get('www-authenticate')).toMatch(
    /^Payment id="[\w-]{43}", realm="[^"]+", method="evm", intent="charge", request="[\w-]+", expires="[^"]+", header="Payment-Authorization"$/,
  )
  const header = { 'payment-authorization': await sign(wallet, required) }
  for (const count of [1, 2]) {
    const { status, json, headers } = await topUp(header)
    expect([count, status, json]).toMatchObject([count, 200, { data: { newBalance: 5 } }])
    const receipt = Buffer.from(headers.get('payment-receipt') ?? '', 'base64url').toString()
    expect(JSON.parse(receipt)).toMatchObject({ method: 'evm', status: 'success' })
    expect(decodeHeader(headers, 'payment-response')).toMatchObject({ payer: wallet.address })
  }
  expect(await readBalance(wallet)).toBe(5_000_000n)
})

it('a payment pays for its call, in either header', async () => {
  for (const name of ['payment-authorization', 'authorization']) {
    const wallet = createWallet()
    const credential = await sign(wallet, await parse(farebox, {}))
    const { status, json } = await parse(farebox, { [name]: credential })
    expect([name, status, json['text']]).toEqual([name, 200, 'Tram fares'])
    expect(await readBalance(wallet)).toBe(4_990_000n)
  }
})

it('a request with an API key does not pay', async () => {
  const wallet = createWallet()
  const credential = await sign(wallet, await topUp())
  const { status, json } = await parse(farebox, {
    authorization: `Bearer ${adminKey}`,
    'payment-authorization': credential,
  })
  expect([status, json['code']]).toEqual([403, 'X402_WALLET_MISMATCH'])
  expect(await readBalance(wallet)).toBe(0n)
})

it('a challenge comes only with offers, and a receipt only with a payment', async () => {
  const { headers } = await farebox.call('listModels', '/models', {
    headers: { authorization: `Bearer ${adminKey}` },
  })
  expect([headers.get('www-authenticate'), headers.get('payment-receipt')]).toEqual([null, null])
})

it.each([
  ['is not a credential', () => 'Payment e30', 'is not base64url of JSON'],
  [
    'states a smaller amount',
    (credential: Credential) => change(credential, { request: encodeBase64url({ amount: '1' }) }),
    'this service did not send',
  ],
  [
    'is for another realm',
    (credential: Credential) => change(credential, { realm: 'other.example' }),
    'this service did not send',
  ],
  [
    'lasts longer',
    (credential: Credential) => change(credential, { expires: '2999-01-01T00:00:00Z' }),
    'this service did not send',
  ],
  [
    'has an id in other letters',
    (credential: Credential) => change(credential, { id: 'é'.repeat(43) }),
    'this service did not send',
  ],
  [
    'has a nonce of its own',
    (credential: Credential) => change(credential, {}, { nonce: `0x${'12'.repeat(32)}` }),
    'not the hash of its challenge',
  ],
  [
    'pays less',
    (credential: Credential) => change(credential, {}, { value: '4000000' }),
    'another amount',
  ],
  [
    'is a transaction',
    (credential: Credential) => change(credential, {}, { type: 'transaction' }),
    'not of the type',
  ],
  [
    'has the signature of another wallet',
    (credential: Credential) => change(credential, {}, { from: createWallet().address }),
    'signature',
  ],
])('a credential that %s pays nothing', async (_what, forge, why) => {
  const wallet = createWallet()
  const credential = parsePaymentCredential(await sign(wallet, await topUp()))
  if (!credential) throw new Error('There is no credential.')
  const { status, json, headers } = await topUp({ 'payment-authorization': forge(credential) })
  expect([status, String(json['message']).includes(why)]).toEqual([400, true])
  expect(headers.get('payment-receipt')).toBeNull()
  expect(await readBalance(wallet)).toBe(0n)
})

type Credential = NonNullable<ReturnType<typeof parsePaymentCredential>>

function change({ challenge, payload, source }: Credential, terms: object, fields: object = {}) {
  const changed = { challenge: { ...challenge, ...terms }, payload: { ...payload, ...fields } }
  return `Payment ${encodeBase64url({ ...changed, source })}`
}
