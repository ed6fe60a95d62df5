import type { Call, Send } from '@farebox/middleware'
import { topUpOffer } from '@farebox/testing/top-up-offer'
import { UptoEvmScheme as ClientScheme } from '@x402/evm/upto/client'
import { UptoEvmScheme as FacilitatorScheme } from '@x402/evm/upto/facilitator'
import { verifyTypedData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { encodeJsonHeader } from '../encoding.js'
import { pay } from './pay.js'
import { memoryPaymentStore } from './payment-store.js'
import { privateKeySigner } from '../keys.js'
import { readRecords } from '../../test/store-contract.js'
import { decodePaymentHeader } from '../verify.js'
import { permit2Address } from '../evm/permit2.js'
import { uptoSigner } from './upto-signer.js'

const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const account = privateKeyToAccount(key)
const facilitatorAddress = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const offer = {
  ...topUpOffer,
  scheme: 'upto',
  amount: '10000',
  extra: { name: 'USD Coin', version: '2', assetTransferMethod: 'permit2', facilitatorAddress },
} as const
const call: Call = { url: 'https://api.example/speech', method: 'POST', headers: new Headers() }

/** Pays an offer, and returns the payment and the record. */
async function payUpto(
  entry: object = offer,
  {
    allowance = 10n ** 12n,
    settled = '2500',
    x402Version = 2,
    random = undefined as (() => Uint8Array) | undefined,
  } = {},
) {
  const sent: string[] = []
  const send: Send = async ({ headers }) => {
    const header = headers.get('payment-signature') ?? headers.get('x-payment')
    if (header === null) return Response.json({ x402Version, accepts: [entry] }, { status: 402 })
    sent.push(header)
    const receipt = { success: true, transaction: '0x1', network: offer.network, amount: settled }
    return Response.json({}, { headers: { 'payment-response': encodeJsonHeader(receipt) } })
  }
  const store = memoryPaymentStore()
  const paying = pay(uptoSigner(privateKeySigner(key), { readAllowance: async () => allowance }), {
    origin: 'https://api.example',
    maxUsdPerPayment: 0.01,
    maxUsdPerDay: 0.01,
    appliesTo: () => true,
    store,
    ...(random && { random: (bytes: Uint8Array<ArrayBuffer>) => (bytes.set(random()), bytes) }),
  })
  const { status } = await paying(send)(call)
  return { status, document: decodePaymentHeader(sent[0] ?? ''), records: await readRecords(store) }
}

test('an offer is paid with a permit over its maximum, of which the service settles a part', async () => {
  const { status, document, records } = await payUpto()
  expect([status, document['accepted']]).toEqual([200, offer])
  expect(records).toMatchObject([{ state: 'settled', amount: '10000' }])
})

test('a payment of version 1 names the scheme of its offer', async () => {
  const entry = { ...offer, network: 'base', maxAmountRequired: offer.amount }
  const { document } = await payUpto(entry, { x402Version: 1 })
  expect(document).toMatchObject({ x402Version: 1, scheme: 'upto', network: 'base' })
})

test('a settlement of more than the maximum is no settlement of this payment', async () => {
  await expect(payUpto(offer, { settled: '10001' })).rejects.toMatchObject({
    code: 'outcome_unknown',
  })
})

test('the permit and its signature are those of the reference client', async () => {
  const reference = await new ClientScheme(account).createPaymentPayload(2, offer)
  type Payload = {
    readonly signature: string
    readonly permit2Authorization: { readonly nonce: string; readonly deadline: string }
  }
  const expected = reference.payload as unknown as Payload
  const nonce = BigInt(expected.permit2Authorization.nonce).toString(16).padStart(64, '0')
  for (let attempt = 0; ; attempt++) {
    const { document } = await payUpto(offer, { random: () => Buffer.from(nonce, 'hex') })
    const { permit2Authorization, signature } = document['payload'] as Payload
    // a second may have passed since
    if (permit2Authorization.deadline !== expected.permit2Authorization.deadline) {
      expect({ ...permit2Authorization, deadline: '' }).toEqual({
        ...expected.permit2Authorization,
        deadline: '',
      })
      return
    }
    expect({ permit2Authorization, signature }).toEqual(expected)
    return
  }
})

test('the reference facilitator accepts the payment', async () => {
  const { document } = await payUpto()
  const facilitator = new FacilitatorScheme({
    getAddresses: () => [facilitatorAddress],
    readContract: async () => 10n ** 12n,
    verifyTypedData: (parameters: unknown) =>
      verifyTypedData(parameters as Parameters<typeof verifyTypedData>[0]),
    getCode: async ({ address }: { readonly address: string }) =>
      address === account.address ? '0x' : '0x60',
  } as never)
  expect(await facilitator.verify(document as never, offer as never)).toMatchObject({
    isValid: true,
    payer: account.address,
  })
})

test('without an allowance nothing is signed, and the error names the approval', async () => {
  await expect(payUpto(offer, { allowance: 9999n })).rejects.toMatchObject({
    code: 'no_acceptable_offer',
    message: expect.stringContaining(
      `Send approve(${permit2Address}, 10000) to ${offer.asset} on eip155:8453 first`,
    ) as string,
  })
})

test.each([
  ['of the scheme exact', topUpOffer, 'the scheme is not "upto"'],
  ['without a facilitator', { ...offer, extra: {} }, 'the offer names no facilitator'],
  ['of another token', { ...offer, asset: facilitatorAddress }, 'the asset is not USDC'],
  [
    'by another method',
    { ...offer, extra: { ...offer.extra, assetTransferMethod: 'eip3009' } },
    'it requires "eip3009", not Permit2',
  ],
])('an offer %s is not paid', async (_name, entry, why) => {
  await expect(payUpto(entry)).rejects.toMatchObject({
    code: 'no_acceptable_offer',
    message: expect.stringContaining(why) as string,
  })
})
