import { inspect } from 'node:util'
import { ed25519 } from '@noble/curves/ed25519.js'
import { base64 } from '@scure/base'
import { expect, test } from 'vitest'
import {
  createWalletAdapter,
  createAddress,
  assertion,
  kitSigner,
  readMessage,
  signTransaction,
  origin,
  payOnSolana,
  payer,
  rewrite,
  seed,
} from '../../test/solana-paying.js'
import { createSiwxHeader } from '../sign-in/create-siwx-header.js'
import { verifySiwxHeader } from '../verify.js'
import type { Instruction } from './transaction.js'
import { solanaPaymentSigner } from './solana-payment-signer.js'
import type { SolanaPayerSource } from './transaction-signer.js'

test('a wallet may add assertions and set the compute unit price', async () => {
  const dearer = Uint8Array.of(3, 64, 66, 15, 0, 0, 0, 0, 0)
  const { transaction } = await payOnSolana(
    createWalletAdapter(
      rewrite(([limit, price, ...rest]) => [
        ...(limit && price ? [limit, { ...price, data: dearer }] : []),
        ...rest,
        assertion,
      ]),
    ),
  )
  expect(transaction.instructions).toHaveLength(5)
})

const createRogueInstruction = (data: Uint8Array): Instruction => ({
  program: createAddress(6),
  accounts: [{ address: payer, signer: true, writable: true }],
  data,
})
const changes: [string, (message: Uint8Array) => Uint8Array][] = [
  ['another program', rewrite((all) => [...all, createRogueInstruction(Uint8Array.of(1))])],
  [
    'another amount',
    rewrite((all) =>
      all.map((instruction, at) =>
        at === 2 ? { ...instruction, data: instruction.data.with(1, 1) } : instruction,
      ),
    ),
  ],
  ['no memo', rewrite((all) => all.slice(0, 3))],
  [
    'more than seven instructions',
    rewrite((all) => [...all, assertion, assertion, assertion, assertion]),
  ],
  [
    'a third signer',
    rewrite((all) => [
      ...all,
      { ...assertion, accounts: [{ address: createAddress(6), signer: true }] },
    ]),
  ],
]

test.each(changes)(
  'a transaction that the wallet returned with %s is not sent',
  async (_name, change) => {
    await expect(payOnSolana(createWalletAdapter(change))).rejects.toMatchObject({
      code: 'signing_failed',
      outcome: 'not_paid',
    })
  },
)

test('a hardware wallet that signs an envelope gets a clear error', async () => {
  const enveloped = createWalletAdapter()
  const source = {
    ...enveloped,
    signTransaction: async (transaction: { serialize(): Uint8Array }) => {
      const message = readMessage(transaction.serialize())
      return {
        serialize: () =>
          signTransaction(message, (bytes) => ed25519.sign(Uint8Array.from([255, ...bytes]), seed)),
      }
    },
  }
  await expect(payOnSolana(source)).rejects.toThrow(
    'the signature does not cover the transaction; some hardware wallets sign an envelope around it',
  )
})

test('a wallet that declines or returns nothing is an error', async () => {
  const wallet = (signTransaction: () => Promise<never>) => ({
    publicKey: { toBase58: () => payer },
    signTransaction,
  })
  await expect(
    payOnSolana(wallet(async () => Promise.reject(new Error('no')))),
  ).rejects.toMatchObject({
    code: 'signing_failed',
    cause: { message: 'no' },
  })
  await expect(
    payOnSolana(wallet(async () => ({ serialize: () => 'x' }) as never)),
  ).rejects.toMatchObject({
    code: 'signing_failed',
  })
})

test('the signer also signs in, if its source can sign messages', async () => {
  const service = { domain: 'api.example', uri: origin }
  for (const signer of [solanaPaymentSigner(seed), solanaPaymentSigner(kitSigner)]) {
    const header = await createSiwxHeader(signer, {
      ...service,
      statement: 'Sign in to Farebox API',
    })
    expect(await verifySiwxHeader(header, service)).toMatchObject({
      address: payer,
      chain: 'solana',
    })
  }
  await expect(solanaPaymentSigner(createWalletAdapter()).sign('x')).rejects.toThrow(
    'it can pay, but not sign in',
  )
})

test('a hardware wallet that signs an envelope around the sign-in message gets a clear error', async () => {
  const source = {
    ...createWalletAdapter(),
    signMessage: async (bytes: Uint8Array) => ed25519.sign(Uint8Array.from([255, ...bytes]), seed),
  }
  await expect(solanaPaymentSigner(source).sign('x')).rejects.toThrow(
    'the signature does not cover the message, as when a hardware wallet',
  )
  const good = { ...source, signMessage: async (bytes: Uint8Array) => ed25519.sign(bytes, seed) }
  expect(await solanaPaymentSigner(good).sign('x')).toBe(
    base64.encode(ed25519.sign(new TextEncoder().encode('x'), seed)),
  )
})

test('rejects anything but a wallet, and no signer reveals its secret', () => {
  for (const source of [
    {},
    { publicKey: null, signTransaction: async () => expect.fail() },
    { accounts: [], features: {} },
  ]) {
    expect(() => solanaPaymentSigner(source as SolanaPayerSource)).toThrow(
      'solanaPaymentSigner: expected a secret',
    )
  }
  expect(() => solanaPaymentSigner(new Uint8Array(31))).toThrow(
    'expected a secret of 32 or 64 bytes',
  )
  expect(inspect(solanaPaymentSigner(seed), { depth: 9, showHidden: true })).not.toContain(
    '7, 7, 7',
  )
})
