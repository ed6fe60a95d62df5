import { secp256k1 } from '@noble/curves/secp256k1.js'
import * as fc from 'fast-check'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test, it } from 'vitest'
import { encodeJsonHeader } from '../encoding.js'
import type { PaymentRequirements } from '../payment/payment-rail.js'
import { PaymentVerificationError } from './errors.js'
import {
  decodePaymentHeader,
  verifyPaymentAuthorization,
  findRailKind,
  rails,
  findUsdcToken,
} from './verify-payment-authorization.js'
import type { VerifyPaymentOptions } from './rail.js'

const account = privateKeyToAccount(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
)
const seconds = 1_782_820_800
const options: VerifyPaymentOptions = { now: () => seconds * 1000 }

const offer: PaymentRequirements = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '5000000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
}

const good = {
  from: account.address as string,
  to: offer.payTo,
  value: '5000000',
  validAfter: '0',
  validBefore: String(seconds + 300),
  nonce: `0x${'ab'.repeat(32)}`,
}

/** Signed by viem, with the domain of Base USDC. */
async function signPayment(change: Partial<typeof good> = {}, domain: object = {}) {
  const authorization = { ...good, ...change }
  const signature = await account.signTypedData({
    domain: {
      name: 'USD Coin',
      version: '2',
      chainId: 8453,
      verifyingContract: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      ...domain,
    },
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message: authorization as never,
  })
  return { signature: signature as string, authorization }
}

const createV2Payment = async (change: Partial<typeof good> = {}, accepted: object = {}) => ({
  x402Version: 2,
  accepted: { ...offer, amount: change.value ?? offer.amount, ...accepted },
  payload: await signPayment(change),
})

const verifyCode = (payload: unknown, more: VerifyPaymentOptions = {}) =>
  verifyPaymentAuthorization(payload, offer, { ...options, ...more }).then(
    () => 'accepted',
    (error: unknown) => (error instanceof PaymentVerificationError ? error.code : error),
  )

test('a version 2 payment signed by viem is accepted', async () => {
  expect(await verifyPaymentAuthorization(await createV2Payment(), [offer], options)).toEqual({
    kind: 'evm',
    scheme: 'exact',
    payer: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    nonce: `0x${'ab'.repeat(32)}`,
    amount: 5_000_000n,
    network: 'eip155:8453',
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    validAfter: 0n,
    validBefore: BigInt(seconds + 300),
    shape: 'v2',
    payload: await signPayment(),
    ...(await signPayment()),
  })
})

test('accepts version 1, and version 2 with the flat shape', async () => {
  const flat = { scheme: 'exact', network: 'base', payload: await signPayment() }
  for (const x402Version of [1, 2]) {
    expect(
      await verifyPaymentAuthorization({ x402Version, ...flat }, offer, options),
    ).toMatchObject({
      shape: 'v1',
      network: 'eip155:8453',
    })
  }
  expect(await verifyCode({ x402Version: 1, ...flat, network: 'eip155:8453' })).toBe('accepted')
})

test('addresses and a nonce in upper case are the same payment', async () => {
  const upper = {
    nonce: `0x${'AB'.repeat(32)}`,
    from: good.from.toLowerCase(),
    to: good.to.toLowerCase(),
  }
  expect(
    await verifyPaymentAuthorization(await createV2Payment(upper), offer, options),
  ).toMatchObject({
    nonce: good.nonce,
    payer: account.address,
  })
})

test('a raised amount is accepted within the range, and rejected outside with its own code', async () => {
  const range = { minAmount: 5_000_000n, maxAmount: 100_000_000n }
  expect(await verifyCode(await createV2Payment({ value: '25000000' }), range)).toBe('accepted')
  expect(await verifyCode(await createV2Payment({ value: '4999999' }), range)).toBe(
    'amount_too_low',
  )
  expect(await verifyCode(await createV2Payment({ value: '100000001' }), range)).toBe(
    'amount_too_high',
  )
  expect(await verifyCode(await createV2Payment({ value: '25000000' }))).toBe(
    'invalid_exact_evm_payload_authorization_value_mismatch',
  )
})

const rejected: [string, () => Promise<unknown>, string][] = [
  ['nothing', async () => undefined, 'invalid_payload'],
  [
    'version 3',
    async () => ({ ...(await createV2Payment()), x402Version: 3 }),
    'invalid_x402_version',
  ],
  ['another scheme', () => createV2Payment({}, { scheme: 'upto' }), 'unsupported_scheme'],
  ['another network', () => createV2Payment({}, { network: 'eip155:1' }), 'invalid_network'],
  [
    'a known network that was not offered',
    () => createV2Payment({}, { network: 'eip155:84532' }),
    'invalid_network',
  ],
  [
    'Solana, when it was not offered',
    async () => ({
      ...(await createV2Payment({}, { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' })),
      payload: { transaction: 'AA==' },
    }),
    'invalid_network',
  ],
  [
    'a Solana network with an authorization',
    () => createV2Payment({}, { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' }),
    'invalid_payload',
  ],
  ['another asset', () => createV2Payment({}, { asset: `0x${'1'.repeat(40)}` }), 'invalid_asset'],
  [
    'another payee in accepted',
    () => createV2Payment({}, { payTo: `0x${'1'.repeat(40)}` }),
    'invalid_exact_evm_payload_recipient_mismatch',
  ],
  [
    'another payee in the authorization',
    () => createV2Payment({ to: `0x${'1'.repeat(40)}` }),
    'invalid_exact_evm_payload_recipient_mismatch',
  ],
  [
    'other terms',
    () => createV2Payment({}, { maxTimeoutSeconds: 3000 }),
    'invalid_payment_requirements',
  ],
  [
    'another domain name in accepted',
    () => createV2Payment({}, { extra: { name: 'USDC', version: '2' } }),
    'invalid_payment_requirements',
  ],
  [
    'another amount in accepted',
    () => createV2Payment({}, { amount: '6000000' }),
    'invalid_exact_evm_payload_authorization_value_mismatch',
  ],
  [
    'an authorization that begins later',
    () => createV2Payment({ validAfter: String(seconds + 1) }),
    'invalid_exact_evm_payload_authorization_valid_after',
  ],
  [
    'an authorization that ends in 5 s',
    () => createV2Payment({ validBefore: String(seconds + 5) }),
    'invalid_exact_evm_payload_authorization_valid_before',
  ],
  [
    'a negative value',
    async () => ({
      ...(await createV2Payment()),
      payload: { ...(await signPayment()), authorization: { ...good, value: '-1' } },
    }),
    'invalid_payload',
  ],
  [
    'a value of more than 256 bits',
    async () => ({
      ...(await createV2Payment()),
      payload: { ...(await signPayment()), authorization: { ...good, value: '9'.repeat(78) } },
    }),
    'invalid_payload',
  ],
  [
    'another payer',
    () => createV2Payment({ from: `0x${'1'.repeat(40)}` }),
    'invalid_exact_evm_payload_signature',
  ],
  [
    'the domain of a test network',
    async () => ({
      ...(await createV2Payment()),
      payload: await signPayment({}, { name: 'USDC', chainId: 84532 }),
    }),
    'invalid_exact_evm_payload_signature',
  ],
  [
    'a signature of 64 bytes',
    async () => ({
      ...(await createV2Payment()),
      payload: { authorization: good, signature: (await signPayment()).signature.slice(0, -2) },
    }),
    'invalid_exact_evm_payload_signature',
  ],
]

for (const [name, payload, code] of rejected) {
  test(`${name} is rejected: ${code}`, async () =>
    expect(await verifyCode(await payload())).toBe(code))
}

test('a remaining lifetime of 6 seconds is enough', async () =>
  expect(await verifyCode(await createV2Payment({ validBefore: String(seconds + 6) }))).toBe(
    'accepted',
  ))

test('the high-s twin of a signature is rejected, whatever a contract check says', async () => {
  const { signature } = await signPayment()
  const s = secp256k1.Point.Fn.ORDER - BigInt(`0x${signature.slice(66, 130)}`)
  const twin =
    signature.slice(0, 66) +
    s.toString(16).padStart(64, '0') +
    (signature.endsWith('1b') ? '1c' : '1b')
  const payload = {
    ...(await createV2Payment()),
    payload: { authorization: good, signature: twin },
  }
  expect(await verifyCode(payload)).toBe('invalid_exact_evm_payload_signature')
  expect(await verifyCode(payload, { verifyContract: async () => true })).toBe(
    'invalid_exact_evm_payload_signature',
  )
})

test('headers are decoded strictly', async () => {
  const payload = await createV2Payment()
  expect(decodePaymentHeader(encodeJsonHeader(payload))).toEqual(payload)
  for (const value of ['', 'e30', '{}', btoa('[]'), btoa('x'), 'A'.repeat(8196)]) {
    expect(() => decodePaymentHeader(value)).toThrow(PaymentVerificationError)
  }
})

test('any input causes a PaymentVerificationError or nothing', async () => {
  const real = await createV2Payment()
  const odd = (value: unknown) =>
    fc.oneof({ weight: 3, arbitrary: fc.constant(value) }, fc.anything())
  const payload = fc.record({
    x402Version: odd(2),
    scheme: odd('exact'),
    network: odd('base'),
    accepted: fc.oneof(
      fc.constant(undefined),
      fc.record(
        Object.fromEntries(
          Object.entries(real.accepted).map(([name, value]) => [name, odd(value)]),
        ),
      ),
      fc.anything(),
    ),
    payload: fc.oneof(
      fc.record({
        signature: fc.oneof(odd(real.payload.signature), fc.stringMatching(/^0x[0-9a-f]{130}$/)),
        authorization: fc.record(
          Object.fromEntries(Object.entries(good).map(([name, value]) => [name, odd(value)])),
        ),
      }),
      fc.anything(),
    ),
  })
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.anything(), payload), async (value) => {
      await verifyPaymentAuthorization(value, [offer], options).catch((error: unknown) => {
        if (!(error instanceof PaymentVerificationError)) throw error
      })
    }),
    { numRuns: 3000 },
  )
})

it.each(Object.entries(rails))(
  '%s recognises its networks by each name, and no other rail does',
  (kind, { tokens }) => {
    for (const token of tokens) {
      for (const name of [token.network, token.networkV1])
        expect([findRailKind(name), findUsdcToken(name)]).toEqual([kind, token])
    }
  },
)

it('a network without known USDC has no token', () => {
  expect(['solana:unknown', 'solana-testnet', 'eip155:1', 'bitcoin'].map(findUsdcToken)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test.each([
  [{ maxTimeoutSeconds: 60 }, '"maxTimeoutSeconds" is not 300'],
  [{ extra: { name: 'USDC', version: '2' } }, '"extra.name" is not "USD Coin"'],
  [{ extra: null }, '"extra.name" is not "USD Coin"'],
])(
  'the rejection of a payment with %j says which field of the offer differs',
  async (change, why) => {
    await expect(
      verifyPaymentAuthorization(await createV2Payment({}, change), offer, options),
    ).rejects.toThrow(`"accepted" differs from the offer: ${why}`)
  },
)

test.each([
  [{ value: '0x4c4b40' }, '"value" is not a whole number in decimal digits'],
  [{ value: '05000000' }, '"value" is not a whole number in decimal digits, without zeros before'],
  [{ validBefore: '1e12' }, '"validBefore" is not a whole number in decimal digits'],
  [{ nonce: '0x1' }, '"nonce" is not 0x and 64 hex digits'],
  [{ to: 'me' }, '"to" is not 0x and 40 hex digits'],
])('the rejection of an authorization with %j says what was expected', async (change, why) => {
  const payload = { signature: '0x', authorization: { ...good, ...change } }
  const payment = { x402Version: 1, scheme: 'exact', network: 'base', payload }
  await expect(verifyPaymentAuthorization(payment, offer, options)).rejects.toThrow(why)
})
