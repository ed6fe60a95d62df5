import { inspect } from 'node:util'
import { ed25519 } from '@noble/curves/ed25519.js'
import { base58, base64 } from '@scure/base'
import type { Call, Send } from '@farebox/middleware'
import {
  createKeyPairSignerFromPrivateKeyBytes,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  type KeyPairSigner,
} from '@solana/kit'
import { ExactSvmScheme as ClientScheme } from '@x402/svm/exact/client'
import { ExactSvmScheme as FacilitatorScheme } from '@x402/svm/exact/facilitator'
import * as fc from 'fast-check'
import { beforeAll, expect, test, vi } from 'vitest'
import { decodeJsonHeader, isRecord } from '../decode-json-header.js'
import { encodeJsonHeader } from '../encode-json-header.js'
import { payment, type PaymentOptions } from '../payment.js'
import { createSiwxHeader } from '../create-siwx-header.js'
import { decodePaymentHeader, verifyPaymentAuthorization, verifySiwxHeader, type PaymentRequirements } from '../verify.js'
import { readSolanaTransaction, type SolanaTransaction } from '../verify/read-solana-transaction.js'
import { encodeMessage, encodeTransaction, type Instruction } from './encode-message.js'
import { lighthouseProgram } from './programs.js'
import { solanaPaymentSigner, type SolanaPaymentSignerOptions } from './solana-payment-signer.js'
import type { SolanaPayerSource } from './transaction-way.js'

const start = Date.UTC(2026, 5, 30, 12)
const origin = 'http://api.example'
const network = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
const seed = new Uint8Array(32).fill(7)
const publicKey = ed25519.getPublicKey(seed)
const payer = base58.encode(publicKey)
const addressOf = (fill: number) => base58.encode(ed25519.getPublicKey(new Uint8Array(32).fill(fill)))
const feePayer = addressOf(1)
const blockhash = base58.encode(new Uint8Array(32).fill(9))

const offer = {
  scheme: 'exact',
  network,
  amount: '5000000',
  asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  payTo: addressOf(2),
  maxTimeoutSeconds: 300,
  extra: { feePayer, recentBlockhash: blockhash, memo: 'order 17' },
} as const

let kitSigner: KeyPairSigner
beforeAll(async () => {
  kitSigner = await createKeyPairSignerFromPrivateKeyBytes(seed)
})

const call: Call = { url: `${origin}/api/v1/x402/top-up`, method: 'POST', headers: new Headers() }

/** Pays the offer with a signer and gives what was sent. */
async function pay(source: SolanaPayerSource, entry: object = offer, options: SolanaPaymentSignerOptions & Partial<PaymentOptions> = {}) {
  const sent: string[] = []
  const send: Send = async ({ headers }) => {
    const header = headers.get('payment-signature')
    if (header !== null) return (sent.push(header), Response.json({ success: true }))
    return new Response(null, { status: 402, headers: { 'payment-required': encodeJsonHeader({ x402Version: 2, accepts: [entry] }) } })
  }
  const signer = solanaPaymentSigner(source, options)
  const middleware = payment(signer, { origin, maxUsdPerPayment: 10, maxUsdPerDay: 20, now: () => start, ...options })
  const { status } = await middleware(send)(call)
  const header = sent[0] ?? expect.fail('nothing was sent')
  const document = decodeJsonHeader(header) ?? expect.fail('no document')
  const payload = isRecord(document['payload']) ? String(document['payload']['transaction']) : expect.fail('no payload')
  return { status, header, document, payload, transaction: readSolanaTransaction(payload) ?? expect.fail('no transaction') }
}

const opened = (message: Uint8Array, sign: (message: Uint8Array) => Uint8Array = (bytes) => ed25519.sign(bytes, seed)) =>
  encodeTransaction([new Uint8Array(64), sign(message)], message)

/** The message of a transaction that has yet to be signed by anybody. */
const messageOf = (bytes: Uint8Array) => (readSolanaTransaction(base64.encode(bytes)) ?? expect.fail('unreadable')).message

function adapter(change: (message: Uint8Array) => Uint8Array = (bytes) => bytes) {
  return {
    publicKey: { toBase58: () => payer },
    signatures: 0,
    async signTransaction(transaction: { version: number; serialize(): Uint8Array }) {
      this.signatures++
      expect(transaction.version).toBe(0)
      return { serialize: () => opened(change(messageOf(transaction.serialize()))) }
    },
  }
}

const sources: Record<string, () => SolanaPayerSource> = {
  'a secret of 32 bytes': () => seed,
  'a secret of 64 bytes': () => Uint8Array.from([...seed, ...publicKey]),
  'a wallet adapter': () => adapter(),
  'a wallet of the wallet standard': () => ({
    accounts: [{ address: payer }],
    features: {
      'solana:signTransaction': {
        signTransaction: async ({ account, chain, transaction }: { account: object; chain: string; transaction: Uint8Array }) => {
          expect([account, chain]).toEqual([{ address: payer }, 'solana:mainnet'])
          return [{ signedTransaction: opened(messageOf(transaction)) }]
        },
      },
    },
  }),
  'a key pair signer of kit': () => kitSigner,
  'a modifying signer of kit': () => ({
    address: payer,
    modifyAndSignTransactions: async (transactions: readonly { messageBytes: Uint8Array; signatures: object }[]) =>
      transactions.map(({ messageBytes, signatures }) => ({
        messageBytes,
        signatures: { ...signatures, [payer]: ed25519.sign(messageBytes, seed) },
      })),
  }),
}

test.each(Object.entries(sources))('%s pays', async (_name, source) => {
  const { status, document, transaction } = await pay(source())
  expect(status).toBe(200)
  expect(document).toMatchObject({ x402Version: 2, accepted: offer })
  expect(transaction.signatures.map((signature) => signature.some((byte) => byte !== 0))).toEqual([false, true])
})

/** What our server makes of what our client sent. */
const verified = async (source: SolanaPayerSource, entry: PaymentRequirements = offer, options: Partial<PaymentOptions> = {}) => {
  const { header } = await pay(source, entry, options)
  return verifyPaymentAuthorization(decodePaymentHeader(header), entry, { minAmount: 5_000_000n })
}

test.each(Object.entries(sources))('what %s pays our own verifier takes', async (_name, source) => {
  expect(await verified(source())).toMatchObject({ kind: 'solana', payer, feePayer, amount: 5_000_000n, payTo: offer.payTo, shape: 'v2' })
})

test('our own verifier takes a raised amount, a memo of the client’s own, and assertions that a wallet added', async () => {
  expect(await verified(seed, offer, { amountUsd: 7.5 })).toMatchObject({ amount: 7_500_000n })
  expect(await verified(seed, { ...offer, extra: { feePayer, recentBlockhash: blockhash } })).toMatchObject({ payer })
  expect(await verified(adapter(rewrite((all) => [...all, assertion])))).toMatchObject({ payer })
})

test('two payments of one offer without a memo have two nonces, the same payment has one', async () => {
  const open = { ...offer, extra: { feePayer, recentBlockhash: blockhash } }
  const [one, other] = [await verified(seed, open), await verified(seed, open)]
  expect(one.nonce).not.toBe(other.nonce)
  expect((await verified(seed)).nonce).toBe((await verified(seed)).nonce)
})

test('the transaction is that of the public x402 client, which asks a chain for what we know', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ jsonrpc: '2.0', id: '0', result: mint }))
  const client = await new ClientScheme(kitSigner).createPaymentPayload(2, offer)
  vi.unstubAllGlobals()
  const theirs = readSolanaTransaction((client.payload as { transaction: string }).transaction) ?? expect.fail('unreadable')
  const { transaction: ours } = await pay(seed)
  expect(ours.instructions).toEqual(theirs.instructions)
  expect(ours.recentBlockhash).toBe(theirs.recentBlockhash)
  expect(byAddress(ours)).toEqual(byAddress(theirs))
})

test('the reference facilitator takes the payment', async () => {
  const { document } = await pay(seed)
  expect(await verdict(document)).toEqual({ isValid: true, payer })
})

test('the reference facilitator refuses the payment when one term differs', async () => {
  const { document } = await pay(seed)
  for (const change of [{ amount: '5000001' }, { payTo: addressOf(3) }, { extra: { ...offer.extra, memo: 'order 18' } }]) {
    expect(await verdict(document, { ...offer, ...change })).toMatchObject({ isValid: false })
  }
})

test('a message reads back in kit, and kit writes the same bytes', async () => {
  const { payload } = await pay(seed)
  const { messageBytes } = getTransactionDecoder().decode(base64.decode(payload))
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes)
  expect(getCompiledTransactionMessageEncoder().encode(compiled)).toEqual(Uint8Array.from(messageBytes))
  expect(compiled).toMatchObject({ version: 0, header: { numSignerAccounts: 2, numReadonlySignerAccounts: 1 }, lifetimeToken: blockhash })
})

test('any message reads back as it was, in our reader and in kit', () => {
  const address = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => base58.encode(bytes))
  const account = fc.record({ address, signer: fc.boolean(), writable: fc.boolean() })
  const data = fc.uint8Array({ maxLength: 200 })
  const instruction = fc.record({ program: address, accounts: fc.array(account, { maxLength: 4 }), data })
  fc.assert(
    fc.property(fc.array(instruction, { maxLength: 3 }), (instructions: Instruction[]) => {
      const message = encodeMessage({ feePayer, recentBlockhash: blockhash, instructions })
      const compiled = getCompiledTransactionMessageDecoder().decode(message)
      expect(getCompiledTransactionMessageEncoder().encode(compiled)).toEqual(message)
      const read = readSolanaTransaction(
        base64.encode(
          encodeTransaction(
            Array.from({ length: compiled.header.numSignerAccounts }, () => new Uint8Array(64)),
            message,
          ),
        ),
      )
      expect(read?.instructions.map(({ program, accounts, data: bytes }) => [program, accounts.map((one) => one.address), bytes])).toEqual(
        instructions.map(({ program, accounts, data: bytes }) => [program, accounts.map((one) => one.address), bytes]),
      )
      for (const { accounts } of instructions) {
        for (const used of accounts) {
          const found = read?.accounts.find((one) => one.address === used.address)
          expect([!used.signer || found?.signer, !used.writable || found?.writable]).toEqual([true, true])
        }
      }
    }),
  )
})

test('an offer without a recent block hash is paid with one that is asked for', async () => {
  const asked: string[] = []
  const latestBlockhash = async (name: string) => (asked.push(name), addressOf(8))
  const { transaction } = await pay(seed, { ...offer, extra: { feePayer } }, { latestBlockhash })
  expect(transaction.recentBlockhash).toBe(addressOf(8))
  expect(asked).toEqual([network])
})

test('without a memo of the service’s each payment has 16 random bytes in hex as its own', async () => {
  const { transaction } = await pay(
    seed,
    { ...offer, extra: { feePayer, recentBlockhash: blockhash } },
    { random: (bytes) => bytes.fill(171) },
  )
  expect(new TextDecoder().decode(transaction.instructions[3]?.data)).toBe('ab'.repeat(16))
})

test('a version 1 offer is paid in version 1', async () => {
  const { amount: maxAmountRequired, ...rest } = offer
  const sent: unknown[] = []
  const send: Send = async ({ headers }) => {
    if (headers.has('x-payment')) return (sent.push(decodeJsonHeader(headers.get('x-payment'))), new Response())
    return Response.json({ x402Version: 1, accepts: [{ ...rest, network: 'solana', maxAmountRequired }] }, { status: 402 })
  }
  await payment(solanaPaymentSigner(seed), { origin, maxUsdPerPayment: 5, maxUsdPerDay: 5 })(send)(call)
  expect(sent).toMatchObject([
    { x402Version: 1, scheme: 'exact', network: 'solana', payload: { transaction: expect.any(String) as string } },
  ])
  expect(await verifyPaymentAuthorization(sent[0], offer)).toMatchObject({ payer, shape: 'v1' })
})

const bad: [string, object, string][] = [
  ['of another token', { asset: addressOf(5) }, 'the asset is not USDC'],
  ['on a network that was not allowed', { network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' }, 'the network is not allowed'],
  ['on an EVM network', { network: 'eip155:8453' }, 'the network is not allowed'],
  ['with a payee that is no address', { payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }, 'the payee is not an address'],
  ['that would pay the payer', { payTo: payer }, 'the payee is the paying wallet'],
  ['without a fee payer', { extra: { recentBlockhash: blockhash } }, 'the offer names no fee payer'],
  ['whose fee the payer would pay', { extra: { ...offer.extra, feePayer: payer } }, 'the fee payer is the paying wallet'],
  ['with a memo of 257 bytes', { extra: { ...offer.extra, memo: 'm'.repeat(257) } }, 'the memo is too long'],
  ['with a block hash that is none', { extra: { ...offer.extra, recentBlockhash: 'x' } }, 'recentBlockhash is not the hash of a block'],
  ['without a block hash, and none to ask', { extra: { feePayer } }, 'there is no latestBlockhash to ask for one'],
]

test.each(bad)('an offer %s is not signed', async (_name, change, why) => {
  const asked: unknown[] = []
  const source = { publicKey: { toBase58: () => payer }, signTransaction: async (one: never) => (asked.push(one), expect.fail('signed')) }
  await expect(pay(source, { ...offer, ...change })).rejects.toMatchObject({
    code: 'no_acceptable_offer',
    outcome: 'not_paid',
    message: expect.stringContaining(why) as string,
  })
  expect(asked).toEqual([])
})

test('payees are compared letter by letter', async () => {
  await expect(pay(seed, offer, { payTo: [offer.payTo.toLowerCase()] })).rejects.toMatchObject({ code: 'no_acceptable_offer' })
  expect((await pay(seed, offer, { payTo: [offer.payTo] })).status).toBe(200)
})

test('a block hash that cannot be had is an error, and nothing is signed', async () => {
  const without = { ...offer, extra: { feePayer } }
  await expect(pay(seed, without, { latestBlockhash: async () => Promise.reject(new Error('down')) })).rejects.toMatchObject({
    code: 'blockhash_unavailable',
    cause: { message: 'down' },
  })
  await expect(pay(seed, without, { latestBlockhash: async () => '' })).rejects.toMatchObject({ code: 'blockhash_unavailable' })
})

/** The message again with other instructions. */
const rewrite = (change: (instructions: readonly Instruction[]) => readonly Instruction[]) => (message: Uint8Array) => {
  const read = readSolanaTransaction(base64.encode(encodeTransaction([new Uint8Array(64), new Uint8Array(64)], message)))
  return encodeMessage({ feePayer, recentBlockhash: read?.recentBlockhash ?? '', instructions: change(read?.instructions ?? []) })
}
const assertion: Instruction = { program: lighthouseProgram, accounts: [{ address: payer, signer: true }], data: Uint8Array.of(1) }

test('a wallet may add assertions and set the price of computing', async () => {
  const dearer = Uint8Array.of(3, 64, 66, 15, 0, 0, 0, 0, 0)
  const { transaction } = await pay(
    adapter(rewrite(([limit, price, ...rest]) => [...(limit && price ? [limit, { ...price, data: dearer }] : []), ...rest, assertion])),
  )
  expect(transaction.instructions).toHaveLength(5)
})

const theft = (data: Uint8Array): Instruction => ({
  program: addressOf(6),
  accounts: [{ address: payer, signer: true, writable: true }],
  data,
})
const changes: [string, (message: Uint8Array) => Uint8Array][] = [
  ['another program', rewrite((all) => [...all, theft(Uint8Array.of(1))])],
  ['another amount', rewrite((all) => all.map((one, at) => (at === 2 ? { ...one, data: one.data.with(1, 1) } : one)))],
  ['no memo', rewrite((all) => all.slice(0, 3))],
  ['more than seven instructions', rewrite((all) => [...all, assertion, assertion, assertion, assertion])],
  ['a third signer', rewrite((all) => [...all, { ...assertion, accounts: [{ address: addressOf(6), signer: true }] }])],
]

test.each(changes)('a transaction that came back with %s is not sent', async (_name, change) => {
  await expect(pay(adapter(change))).rejects.toMatchObject({ code: 'signing_failed', outcome: 'not_paid' })
})

test('a hardware wallet that signs an envelope gets a clear error', async () => {
  const enveloped = adapter()
  const source = {
    ...enveloped,
    signTransaction: async (transaction: { serialize(): Uint8Array }) => {
      const message = messageOf(transaction.serialize())
      return { serialize: () => opened(message, (bytes) => ed25519.sign(Uint8Array.from([255, ...bytes]), seed)) }
    },
  }
  await expect(pay(source)).rejects.toThrow(
    'the signature does not cover the transaction; some hardware wallets sign an envelope around it',
  )
})

test('a wallet that refuses, or answers with nothing, is an error', async () => {
  const wallet = (signTransaction: () => Promise<never>) => ({ publicKey: { toBase58: () => payer }, signTransaction })
  await expect(pay(wallet(async () => Promise.reject(new Error('no'))))).rejects.toMatchObject({
    code: 'signing_failed',
    cause: { message: 'no' },
  })
  await expect(pay(wallet(async () => ({ serialize: () => 'x' }) as never))).rejects.toMatchObject({ code: 'signing_failed' })
})

test('a lost payment is sent again byte for byte until its block hash has run out, and only then is another signed', async () => {
  let time = start
  const counted = adapter()
  const sent: string[] = []
  const send: Send = async ({ headers }) => {
    const header = headers.get('payment-signature')
    if (header !== null) return (sent.push(header), new Response(null, { status: 504 }))
    const { memo: _memo, ...extra } = offer.extra
    return new Response(null, {
      status: 402,
      headers: { 'payment-required': encodeJsonHeader({ x402Version: 2, accepts: [{ ...offer, extra }] }) },
    })
  }
  const topUp = payment(solanaPaymentSigner(counted), {
    origin,
    maxUsdPerPayment: 5,
    maxUsdPerDay: 50,
    attempts: 2,
    now: () => time,
    wait: async () => {},
  })(send)
  await expect(topUp(call)).rejects.toMatchObject({ code: 'outcome_unknown', outcome: 'unknown' })
  time += 179_999
  await expect(topUp(call)).rejects.toMatchObject({ code: 'outcome_unknown' })
  expect([new Set(sent).size, sent.length, counted.signatures]).toEqual([1, 4, 1])
  time += 1
  await expect(topUp(call)).rejects.toMatchObject({ code: 'outcome_unknown' })
  expect([new Set(sent).size, sent.length, counted.signatures]).toEqual([2, 6, 2])
})

test('the signer signs in too, where its source can sign messages', async () => {
  const service = { domain: 'api.example', uri: origin }
  for (const signer of [solanaPaymentSigner(seed), solanaPaymentSigner(kitSigner)]) {
    const header = await createSiwxHeader(signer, { ...service, statement: 'Sign in to Farebox API' })
    expect(await verifySiwxHeader(header, service)).toMatchObject({ address: payer, chain: 'solana' })
  }
  await expect(solanaPaymentSigner(adapter()).sign('x')).rejects.toThrow('it can pay, but not sign in')
})

test('a hardware wallet that signs an envelope around the sign-in message gets a clear error', async () => {
  const source = { ...adapter(), signMessage: async (bytes: Uint8Array) => ed25519.sign(Uint8Array.from([255, ...bytes]), seed) }
  await expect(solanaPaymentSigner(source).sign('x')).rejects.toThrow('the signature does not cover the message, as when a hardware wallet')
  const good = { ...source, signMessage: async (bytes: Uint8Array) => ed25519.sign(bytes, seed) }
  expect(await solanaPaymentSigner(good).sign('x')).toBe(base64.encode(ed25519.sign(new TextEncoder().encode('x'), seed)))
})

test('what is no wallet is refused, and no signer shows its secret', () => {
  for (const source of [{}, { publicKey: null, signTransaction: async () => expect.fail() }, { accounts: [], features: {} }]) {
    expect(() => solanaPaymentSigner(source as SolanaPayerSource)).toThrow('solanaPaymentSigner: expected a secret')
  }
  expect(() => solanaPaymentSigner(new Uint8Array(31))).toThrow('expected a secret of 32 or 64 bytes')
  expect(inspect(solanaPaymentSigner(seed), { depth: 9, showHidden: true })).not.toContain('7, 7, 7')
})

const byAddress = ({ accounts }: SolanaTransaction) => accounts.toSorted((one, other) => (one.address < other.address ? -1 : 1))

/** The verdict of @x402/svm over a chain that agrees to everything. */
async function verdict(document: Readonly<Record<string, unknown>>, requirements: object = offer) {
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
    // an initialised mint of 6 decimals: option, authority, supply, decimals, initialised, option, freeze authority
    data: [base64.encode(new Uint8Array(82).with(44, 6).with(45, 1)), 'base64'],
    owner: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    executable: false,
    lamports: 1,
    rentEpoch: 0,
    space: 82,
  },
}
