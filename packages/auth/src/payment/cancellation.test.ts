import type { Send } from '@farebox/middleware'
import {
  encodeFunctionData,
  parseAbi,
  parseSignature,
  recoverTypedDataAddress,
  type Hex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { forgetPayment, openPayments, signCancellation } from './cancellation.js'
import { encodeJsonHeader } from '../encoding.js'
import { evmSigner } from '../signers/evm-signer.js'
import { memoryPaymentStore, type PaymentRecord } from './payment-store.js'
import { pay } from './pay.js'
import { privateKeySigner } from '../keys.js'
import { usdcContracts } from '../evm/usdc.js'

const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const account = privateKeyToAccount(key)
const abi = parseAbi([
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])

/** Pays 5 USD on a network to a service that rejects every payment. */
async function createRejectedPayment(network: string) {
  const contract = usdcContracts.find((entry) => entry.network === network)
  const accepts = [
    {
      scheme: 'exact',
      network,
      amount: '5000000',
      asset: contract?.asset,
      payTo: `0x${'2'.repeat(40)}`,
      maxTimeoutSeconds: 300,
    },
  ]
  const send: Send = async () => {
    return new Response(null, {
      status: 402,
      headers: { 'payment-required': encodeJsonHeader({ x402Version: 2, accepts }) },
    })
  }
  const store = memoryPaymentStore()
  const call = { url: 'https://api.example/x402/top-up', method: 'POST', headers: new Headers() }
  const caps = {
    origin: call.url,
    maxUsdPerPayment: 5,
    maxUsdPerDay: 5,
    networks: [network],
    store,
  }
  const payOnce = async (): Promise<unknown> =>
    pay(privateKeySigner(key), caps)(send)(call).catch((error: unknown) => error)
  expect(await payOnce()).toMatchObject({ code: 'outcome_unknown' })
  const [record] = await openPayments(store)
  if (!record) throw new Error('The store has no open payment.')
  return { record, store, payOnce }
}

it.each(usdcContracts)(
  'on $network, the contract finds the wallet that signed the payment',
  async ({ network, name, version, chainId, asset }) => {
    const { record } = await createRejectedPayment(network)
    for (const signer of [privateKeySigner(key), evmSigner(account)]) {
      const { to, data, authorizer, nonce, signature } = await signCancellation(signer, record)
      const recovered = await recoverTypedDataAddress({
        domain: { name, version, chainId, verifyingContract: asset as Hex },
        types: {
          CancelAuthorization: [
            { name: 'authorizer', type: 'address' },
            { name: 'nonce', type: 'bytes32' },
          ],
        },
        primaryType: 'CancelAuthorization',
        message: { authorizer: account.address, nonce: record.nonce as Hex },
        signature: signature as Hex,
      })
      expect([recovered, authorizer, nonce, to]).toEqual([
        account.address,
        account.address,
        record.nonce,
        asset,
      ])
      const { v = 0n, r, s } = parseSignature(signature as Hex)
      const args = [account.address, record.nonce as Hex, Number(v), r, s] as const
      expect(data).toBe(encodeFunctionData({ abi, functionName: 'cancelAuthorization', args }))
    }
  },
)

it('a payment is resent, and no other is signed, until it is forgotten', async () => {
  const { record, store, payOnce } = await createRejectedPayment('eip155:8453')
  expect(await payOnce()).toMatchObject({ code: 'outcome_unknown' })
  expect((await openPayments(store)).map(({ nonce }) => nonce)).toEqual([record.nonce])
  await forgetPayment(store, record)
  expect(await openPayments(store)).toEqual([])
  expect(await payOnce()).toMatchObject({ code: 'outcome_unknown' })
  expect((await openPayments(store)).map(({ nonce }) => nonce)).not.toEqual([record.nonce])
})

it('a settled or expired payment is not open', async () => {
  const { record, store } = await createRejectedPayment('eip155:8453')
  expect(await openPayments(store, () => record.heldUntil)).toEqual([])
  await store.update((records) =>
    records.map((entry): PaymentRecord => ({ ...entry, state: 'settled' })),
  )
  expect(await openPayments(store)).toEqual([])
})

it('rejects a payment that this wallet cannot cancel', async () => {
  const { record } = await createRejectedPayment('eip155:8453')
  const signer = privateKeySigner(key)
  await expect(
    signCancellation(signer, { ...record, network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' }),
  ).rejects.toThrow('no USDC contract')
  await expect(
    signCancellation(signer, { ...record, payer: `0x${'2'.repeat(40)}` }),
  ).rejects.toThrow('the payment belongs to 0x2222')
  const silent = { ...signer, signTypedData: async () => Promise.reject(new Error('declined')) }
  await expect(signCancellation(silent, record)).rejects.toMatchObject({ code: 'signing_failed' })
  const smart = { ...signer, signTypedData: async () => '0x1234' }
  await expect(signCancellation(smart, record)).rejects.toThrow(
    'EIP-3009 requires the signature of a key',
  )
})
