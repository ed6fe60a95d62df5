import { ed25519 } from '@noble/curves/ed25519.js'
import { base58, base64 } from '@scure/base'
import { isRecord, type Call, type Send } from '@farebox/middleware'
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit'
import { expect } from 'vitest'
import { decodeJsonHeader, encodeJsonHeader } from '../src/encoding.js'
import { memoryPaymentStore } from '../src/payment/payment-store.js'
import { pay, type PayOptions } from '../src/payment/pay.js'
import {
  encodeMessage,
  encodeTransaction,
  type Instruction,
  readSolanaTransaction,
} from '../src/solana/transaction.js'
import { lighthouseProgram } from '../src/solana/address.js'
import {
  solanaPaymentSigner,
  type SolanaPaymentSignerOptions,
} from '../src/solana/solana-payment-signer.js'
import type { SolanaPayerSource } from '../src/solana/transaction-signer.js'

export const start = Date.UTC(2026, 5, 30, 12)
export const origin = 'https://api.example'
export const network = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
export const seed = new Uint8Array(32).fill(7)
export const publicKey = ed25519.getPublicKey(seed)
export const payer = base58.encode(publicKey)
export const createAddress = (fill: number) =>
  base58.encode(ed25519.getPublicKey(new Uint8Array(32).fill(fill)))
export const feePayer = createAddress(1)
export const blockhash = base58.encode(new Uint8Array(32).fill(9))

export const offer = {
  scheme: 'exact',
  network,
  amount: '5000000',
  asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  payTo: createAddress(2),
  maxTimeoutSeconds: 300,
  extra: { feePayer, recentBlockhash: blockhash, memo: 'order 17' },
} as const

export const kitSigner = await createKeyPairSignerFromPrivateKeyBytes(seed)

export const call: Call = {
  url: `${origin}/api/v1/x402/top-up`,
  method: 'POST',
  headers: new Headers(),
}

/** Pays the offer with a signer, and returns the sent payment. */
export async function payOnSolana(
  source: SolanaPayerSource,
  entry: object = offer,
  options: SolanaPaymentSignerOptions & Partial<PayOptions> = {},
) {
  const sentHeaders: string[] = []
  const send: Send = async ({ headers }) => {
    const header = headers.get('payment-signature')
    if (header !== null) return (sentHeaders.push(header), Response.json({ success: true }))
    return new Response(null, {
      status: 402,
      headers: { 'payment-required': encodeJsonHeader({ x402Version: 2, accepts: [entry] }) },
    })
  }
  const signer = solanaPaymentSigner(source, options)
  const middleware = pay(signer, {
    origin,
    maxUsdPerPayment: 10,
    maxUsdPerDay: 20,
    now: () => start,
    store: memoryPaymentStore(),
    ...options,
  })
  const { status } = await middleware(send)(call)
  const header = sentHeaders[0] ?? expect.fail('nothing was sent')
  const document = decodeJsonHeader(header) ?? expect.fail('no document')
  const payload = isRecord(document['payload'])
    ? String(document['payload']['transaction'])
    : expect.fail('no payload')
  return {
    status,
    header,
    document,
    payload,
    transaction: readSolanaTransaction(payload) ?? expect.fail('no transaction'),
  }
}

export const signTransaction = (
  message: Uint8Array,
  sign: (message: Uint8Array) => Uint8Array = (bytes) => ed25519.sign(bytes, seed),
) => encodeTransaction([new Uint8Array(64), sign(message)], message)

/** The message of an unsigned transaction. */
export const readMessage = (bytes: Uint8Array) =>
  (readSolanaTransaction(base64.encode(bytes)) ?? expect.fail('unreadable')).message

export function createWalletAdapter(
  change: (message: Uint8Array) => Uint8Array = (bytes) => bytes,
) {
  return {
    publicKey: { toBase58: () => payer },
    signatures: 0,
    async signTransaction(transaction: { version: number; serialize(): Uint8Array }) {
      this.signatures++
      expect(transaction.version).toBe(0)
      return { serialize: () => signTransaction(change(readMessage(transaction.serialize()))) }
    },
  }
}

/** The message with other instructions. */
export const rewrite =
  (change: (instructions: readonly Instruction[]) => readonly Instruction[]) =>
  (message: Uint8Array) => {
    const transaction = readSolanaTransaction(
      base64.encode(encodeTransaction([new Uint8Array(64), new Uint8Array(64)], message)),
    )
    return encodeMessage({
      feePayer,
      recentBlockhash: transaction?.recentBlockhash ?? '',
      instructions: change(transaction?.instructions ?? []),
    })
  }
export const assertion: Instruction = {
  program: lighthouseProgram,
  accounts: [{ address: payer, signer: true }],
  data: Uint8Array.of(1),
}

export const sources: Record<string, () => SolanaPayerSource> = {
  'a secret of 32 bytes': () => seed,
  'a secret of 64 bytes': () => Uint8Array.from([...seed, ...publicKey]),
  'a wallet adapter': () => createWalletAdapter(),
  'a wallet of the wallet standard': () => ({
    accounts: [{ address: payer }],
    features: {
      'solana:signTransaction': {
        signTransaction: async ({
          account,
          chain,
          transaction,
        }: {
          account: object
          chain: string
          transaction: Uint8Array
        }) => {
          expect([account, chain]).toEqual([{ address: payer }, 'solana:mainnet'])
          return [{ signedTransaction: signTransaction(readMessage(transaction)) }]
        },
      },
    },
  }),
  'a key pair signer of kit': () => kitSigner,
  'a modifying signer of kit': () => ({
    address: payer,
    modifyAndSignTransactions: async (
      transactions: readonly { messageBytes: Uint8Array; signatures: object }[],
    ) =>
      transactions.map(({ messageBytes, signatures }) => ({
        messageBytes,
        signatures: { ...signatures, [payer]: ed25519.sign(messageBytes, seed) },
      })),
  }),
}
