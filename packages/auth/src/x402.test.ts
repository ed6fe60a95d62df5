import { isRecord, type Call, type Send } from '@farebox/middleware'
import { ExactEvmScheme as ClientScheme } from '@x402/evm/exact/client'
import { ExactEvmScheme as FacilitatorScheme } from '@x402/evm/exact/facilitator'
import { verifyTypedData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createPaymentRequired, topUpOffer } from '@farebox/testing/top-up-offer'
import { expect, test } from 'vitest'
import { memoryPaymentStore } from './payment/payment-store.js'
import { pay } from './payment/pay.js'
import { privateKeySigner } from './keys.js'
import {
  decodePaymentHeader,
  PaymentVerificationError,
  verifyPaymentAuthorization,
} from './verify.js'

const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const account = privateKeyToAccount(key)
/**
 * The reference facilitator on a chain where the payer has funds, no nonce is used, and the token
 * is the only contract.
 */
const facilitator = new FacilitatorScheme({
  getAddresses: () => [account.address],
  readContract: async ({ functionName }) =>
    ({ balanceOf: 10n ** 12n, authorizationState: false, name: 'USD Coin', version: '2' })[
      functionName
    ] ?? true,
  verifyTypedData: (parameters) =>
    verifyTypedData(parameters as Parameters<typeof verifyTypedData>[0]),
  getCode: async ({ address }) =>
    address.toLowerCase() === topUpOffer.asset.toLowerCase() ? '0x60' : '0x',
  writeContract: async () => '0x',
  sendTransaction: async () => '0x',
  waitForTransactionReceipt: async () => ({ status: 'success' }),
})

type Document = {
  readonly x402Version: number
  readonly accepted: typeof topUpOffer
  readonly payload: Record<string, unknown>
}

const verifyWithTheirs = async (document: Document): Promise<boolean> =>
  (await facilitator.verify(document, topUpOffer)).isValid
const verifyWithOurs = (document: Document): Promise<boolean> =>
  verifyPaymentAuthorization(document, topUpOffer).then(
    () => true,
    (error: unknown) => {
      if (error instanceof PaymentVerificationError) return false
      throw error
    },
  )

const createOurPayment = async (): Promise<Document> => {
  let header = ''
  const send: Send = async ({ headers }) => {
    header = headers.get('payment-signature') ?? ''
    if (header !== '') return new Response()
    return new Response(null, { status: 402, headers: createPaymentRequired() })
  }
  const call: Call = {
    url: 'https://api.example/x402/top-up',
    method: 'POST',
    headers: new Headers(),
  }
  await pay(privateKeySigner(key), {
    origin: call.url,
    maxUsdPerPayment: 5,
    maxUsdPerDay: 5,
    store: memoryPaymentStore(),
  })(send)(call)
  return decodePaymentHeader(header) as unknown as Document
}

const createTheirPayment = async (): Promise<Document> => {
  const { payload } = await new ClientScheme(account).createPaymentPayload(2, topUpOffer)
  return { x402Version: 2, accepted: topUpOffer, payload }
}

const changes: Record<string, (document: Document) => Document> = {
  'as it was made': (document) => document,
  'with another payee': (document) => changeAuthorization(document, { to: `0x${'2'.repeat(40)}` }),
  'with a larger amount': (document) => changeAuthorization(document, { value: '5000001' }),
  'with a smaller amount': (document) => changeAuthorization(document, { value: '4999999' }),
  'that has ended': (document) => changeAuthorization(document, { validBefore: '1' }),
  'that has not begun': (document) => changeAuthorization(document, { validAfter: '9999999999' }),
  'that ends later than was signed': (document) =>
    changeAuthorization(document, { validBefore: '9999999999' }),
  'with another nonce': (document) =>
    changeAuthorization(document, { nonce: `0x${'ab'.repeat(32)}` }),
  'from somebody else': (document) => changeAuthorization(document, { from: topUpOffer.payTo }),
  'with a broken signature': ({ payload, ...rest }) => ({
    ...rest,
    payload: { ...payload, signature: `0x${'11'.repeat(65)}` },
  }),
  'with no signature': ({ payload, ...rest }) => ({
    ...rest,
    payload: { ...payload, signature: '0x' },
  }),
  'on another network': ({ accepted, ...rest }) => ({
    ...rest,
    accepted: { ...accepted, network: 'eip155:84532' as never },
  }),
  'of another scheme': ({ accepted, ...rest }) => ({
    ...rest,
    accepted: { ...accepted, scheme: 'upto' as never },
  }),
}

function changeAuthorization({ payload, ...rest }: Document, change: object): Document {
  const authorization = isRecord(payload['authorization'])
    ? payload['authorization']
    : expect.fail('no authorization')
  return { ...rest, payload: { ...payload, authorization: { ...authorization, ...change } } }
}

for (const [name, change] of Object.entries(changes)) {
  test(`a payment ${name}: we and the reference facilitator agree, whichever client signed it`, async () => {
    const expected = name === 'as it was made'
    for (const document of [change(await createOurPayment()), change(await createTheirPayment())]) {
      expect([await verifyWithOurs(document), await verifyWithTheirs(document)]).toEqual([
        expected,
        expected,
      ])
    }
  })
}

test('our payload has exactly the fields of theirs', async () => {
  const [ourPayload, theirPayload] = [
    (await createOurPayment()).payload,
    (await createTheirPayment()).payload,
  ]
  expect(Object.keys(ourPayload).toSorted()).toEqual(Object.keys(theirPayload).toSorted())
  expect(Object.keys(ourPayload['authorization'] ?? {}).toSorted()).toEqual(
    Object.keys(theirPayload['authorization'] ?? {}).toSorted(),
  )
})
