import { base64 } from '@scure/base'
import { ExactSvmScheme as ClientScheme } from '@x402/svm/exact/client'
import { ExactSvmScheme as FacilitatorScheme } from '@x402/svm/exact/facilitator'
import { expect, test, vi } from 'vitest'
import {
  createAddress,
  feePayer,
  kitSigner,
  offer,
  payOnSolana,
  payer,
  seed,
} from '../../test/solana-paying.js'
import { readSolanaTransaction, type SolanaTransaction } from './transaction.js'

test('the transaction is that of the public x402 client, which asks a chain for what we already know', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ jsonrpc: '2.0', id: '0', result: mint }))
  const client = await new ClientScheme(kitSigner).createPaymentPayload(2, offer)
  vi.unstubAllGlobals()
  const theirs =
    readSolanaTransaction((client.payload as { transaction: string }).transaction) ??
    expect.fail('unreadable')
  const { transaction: ours } = await payOnSolana(seed)
  expect(ours.instructions).toEqual(theirs.instructions)
  expect(ours.recentBlockhash).toBe(theirs.recentBlockhash)
  expect(sortAccounts(ours)).toEqual(sortAccounts(theirs))
})

test('the reference facilitator accepts the payment', async () => {
  const { document } = await payOnSolana(seed)
  expect(await verifyWithTheirs(document)).toEqual({ isValid: true, payer })
})

test('the reference facilitator rejects the payment if one term differs', async () => {
  const { document } = await payOnSolana(seed)
  for (const change of [
    { amount: '5000001' },
    { payTo: createAddress(3) },
    { extra: { ...offer.extra, memo: 'order 18' } },
  ]) {
    expect(await verifyWithTheirs(document, { ...offer, ...change })).toMatchObject({
      isValid: false,
    })
  }
})

const sortAccounts = ({ accounts }: SolanaTransaction) =>
  accounts.toSorted((left, right) => (left.address < right.address ? -1 : 1))

/** The result of @x402/svm on a chain that accepts everything. */
async function verifyWithTheirs(
  document: Readonly<Record<string, unknown>>,
  requirements: object = offer,
) {
  const scheme = new FacilitatorScheme({
    getAddresses: () => [feePayer as never],
    signTransaction: async (transaction) => transaction,
    simulateTransaction: async () => {},
    sendTransaction: async () => 'signature',
    confirmTransaction: async () => {},
  })
  return scheme.verify(document as never, requirements as never)
}

const mint = {
  context: { slot: 1 },
  value: {
    // an initialised mint of 6 decimals: option, authority, supply, decimals, initialised, option,
    // freeze authority
    data: [base64.encode(new Uint8Array(82).with(44, 6).with(45, 1)), 'base64'],
    owner: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    executable: false,
    lamports: 1,
    rentEpoch: 0,
    space: 82,
  },
}
