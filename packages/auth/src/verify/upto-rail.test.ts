import { UptoEvmScheme as ClientScheme } from '@x402/evm/upto/client'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { permit2Address, createPermitTypedData, uptoProxyAddress } from '../evm/permit2.js'
import { privateKeySigner } from '../keys.js'
import type { PaymentRequirements } from '../payment/payment-rail.js'
import { uptoSigner } from '../payment/upto-signer.js'
import { PaymentVerificationError } from './errors.js'
import type { VerifyPaymentOptions } from './rail.js'
import { verifyPaymentAuthorization } from './verify-payment-authorization.js'

const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const account = privateKeyToAccount(key)
const other = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const seconds = 1_782_820_800

const offer = {
  scheme: 'upto',
  network: 'eip155:8453',
  amount: '10000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  maxTimeoutSeconds: 300,
  extra: {
    name: 'USD Coin',
    version: '2',
    assetTransferMethod: 'permit2',
    facilitatorAddress: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  },
} as const satisfies PaymentRequirements
const exact = {
  ...offer,
  scheme: 'exact',
  amount: '5000000',
  extra: { name: 'USD Coin', version: '2' },
}

const good = {
  from: account.address as string,
  permitted: { token: offer.asset as string, amount: '10000' },
  spender: uptoProxyAddress as string,
  nonce: '171',
  deadline: String(seconds + 300),
  witness: {
    to: offer.payTo as string,
    facilitator: offer.extra.facilitatorAddress as string,
    validAfter: '0',
  },
}

type Change = Partial<Omit<typeof good, 'witness' | 'permitted'>> & {
  readonly witness?: Partial<typeof good.witness>
  readonly permitted?: Partial<typeof good.permitted>
  readonly chainId?: number
}

/** Signed by viem: everything that is changed is signed, too. */
async function pay(
  { chainId = 8453, witness, permitted, ...change }: Change = {},
  accepted: object = offer,
) {
  const permit2Authorization = {
    ...good,
    ...change,
    permitted: { ...good.permitted, ...permitted },
    witness: { ...good.witness, ...witness },
  }
  const { types, ...typedData } = createPermitTypedData(chainId, permit2Authorization)
  const { EIP712Domain: _, ...named } = types
  const signature = await account.signTypedData({ ...typedData, types: named })
  return { x402Version: 2, accepted, payload: { signature, permit2Authorization } }
}

const verify = (
  payload: unknown,
  options: VerifyPaymentOptions = {},
  offers: readonly PaymentRequirements[] = [exact, offer],
) => verifyPaymentAuthorization(payload, offers, { now: () => seconds * 1000, ...options })

const readCode = (
  payload: unknown,
  options?: VerifyPaymentOptions,
  offers?: readonly PaymentRequirements[],
) =>
  verify(payload, options, offers).then(
    () => 'accepted',
    (error: unknown) => (error instanceof PaymentVerificationError ? error.code : error),
  )

test('a permit signed by viem is a payment of at most its amount', async () => {
  const document = await pay()
  expect(await verify(document)).toEqual({
    kind: 'evm',
    scheme: 'upto',
    payer: account.address,
    nonce: `0x${'ab'.padStart(64, '0')}`,
    amount: 10_000n,
    network: 'eip155:8453',
    asset: offer.asset,
    payTo: offer.payTo,
    facilitator: offer.extra.facilitatorAddress,
    validAfter: 0n,
    validBefore: BigInt(seconds + 300),
    shape: 'v2',
    payload: document.payload,
    ...document.payload,
  })
})

test('a payment of the reference client is accepted', async () => {
  const { payload } = await new ClientScheme(account).createPaymentPayload(2, offer)
  expect(
    await verify({ x402Version: 2, accepted: offer, payload }, { now: Date.now }),
  ).toMatchObject({ scheme: 'upto', payer: account.address, amount: 10_000n })
})

test('a payment of our signer is accepted', async () => {
  const { rail } = uptoSigner(privateKeySigner(key), { readAllowance: async () => 10_000n })
  const [now, serviceNow] = [seconds * 1000, seconds * 1000]
  const signed = await rail.sign(
    {
      entry: offer,
      network: offer.network,
      payTo: offer.payTo,
      amount: 10_000n,
      timeoutSeconds: 300,
    },
    { amount: 10_000n, now, serviceNow, random: (bytes) => bytes.fill(7) },
  )
  expect(await verify({ x402Version: 2, accepted: offer, payload: signed.payload })).toMatchObject({
    payer: account.address,
    nonce: signed.nonce,
  })
})

test('addresses may be in lower case', async () => {
  const lower = await pay({
    from: good.from.toLowerCase(),
    spender: uptoProxyAddress.toLowerCase(),
    witness: {
      to: offer.payTo.toLowerCase(),
      facilitator: offer.extra.facilitatorAddress.toLowerCase(),
    },
  })
  expect(await verify(lower)).toMatchObject({ payer: account.address })
})

test.each<[string, () => Promise<unknown>, string]>([
  [
    'without a permit',
    async () => ({ ...(await pay()), payload: { signature: '0x' } }),
    'invalid_payload',
  ],
  [
    'with a nonce beyond uint256',
    async () => withNonce(await pay(), '9'.repeat(78)),
    'invalid_payload',
  ],
  [
    'that Permit2 itself may settle',
    () => pay({ spender: permit2Address }),
    'invalid_permit2_spender',
  ],
  ['to another payee', () => pay({ witness: { to: other } }), 'invalid_permit2_recipient_mismatch'],
  [
    'that another account may settle',
    () => pay({ witness: { facilitator: other } }),
    'upto_facilitator_mismatch',
  ],
  ['in another token', () => pay({ permitted: { token: other } }), 'permit2_token_mismatch'],
  [
    'over more than it accepts',
    () => pay({ permitted: { amount: '10001' } }),
    'permit2_amount_mismatch',
  ],
  [
    'that ends in 5 seconds',
    () => pay({ deadline: String(seconds + 5) }),
    'permit2_deadline_expired',
  ],
  [
    'that begins later',
    () => pay({ witness: { validAfter: String(seconds + 1) } }),
    'permit2_not_yet_valid',
  ],
  ['of another wallet', () => pay({ from: other }), 'invalid_permit2_signature'],
  ['for another chain', () => pay({ chainId: 84532 }), 'invalid_permit2_signature'],
  [
    'of version 1',
    async () => ({
      x402Version: 1,
      scheme: 'upto',
      network: 'base',
      payload: (await pay()).payload,
    }),
    'unsupported_scheme',
  ],
  [
    'that accepts another facilitator',
    () => pay({}, { ...offer, extra: { ...offer.extra, facilitatorAddress: other } }),
    'invalid_payment_requirements',
  ],
])('a payment %s is rejected', async (_what, document, code) => {
  expect(await readCode(await document())).toBe(code)
})

test('a field that was changed after the signature is rejected', async () => {
  expect(await readCode(withNonce(await pay(), '172'))).toBe('invalid_permit2_signature')
})

test('a payment is rejected where the scheme is not offered', async () => {
  expect(await readCode(await pay(), {}, [exact])).toBe('unsupported_scheme')
})

test('the client may choose a maximum in the range', async () => {
  const cents = (amount: string) => pay({ permitted: { amount } }, { ...offer, amount })
  const range = { minAmount: 10_000n, maxAmount: 50_000n }
  expect(await verify(await cents('50000'), range)).toMatchObject({ amount: 50_000n })
  expect(await readCode(await cents('9999'), range)).toBe('amount_too_low')
  expect(await readCode(await cents('50001'), range)).toBe('amount_too_high')
})

test('a smart wallet is asked for its signature', async () => {
  const document = await pay({ from: other })
  const asked: unknown[] = []
  const verifyContract = async (...query: unknown[]) => asked.push(query) > 0
  expect(await verify(document, { verifyContract })).toMatchObject({ payer: other })
  expect(asked).toMatchObject([
    [other, expect.stringMatching(/^0x[\da-f]{64}$/), document.payload.signature, 8453],
  ])
})

function withNonce(document: Awaited<ReturnType<typeof pay>>, nonce: string) {
  const { payload } = document
  const permit2Authorization = { ...payload.permit2Authorization, nonce }
  return { ...document, payload: { ...payload, permit2Authorization } }
}
