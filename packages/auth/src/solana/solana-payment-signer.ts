import { describeThrown, PaymentError } from '../errors.js'
import type { SolanaPaymentSigner } from '../payment/payment-rail.js'
import type { WalletSigner } from '../signers/signer.js'
import { toPlainTransaction, adaptPayer, type SolanaPayerSource } from './transaction-signer.js'
import { createSolanaRail, type LatestBlockhash } from './solana-rail.js'
import { base58, base64 } from '@scure/base'
import {
  encodeTransaction,
  readSolanaTransaction,
  type SolanaInstruction,
  type SolanaTransaction,
} from './transaction.js'
import { verifyEd25519 } from '../native/ed25519.js'
import { computeBudgetProgram, lighthouseProgram } from './address.js'

export type SolanaPaymentSignerOptions = {
  /**
   * Called when an offer has no `recentBlockhash`. With @solana/kit: `async () => (await
   * rpc.getLatestBlockhash().send()).value.blockhash`.
   */
  readonly latestBlockhash?: LatestBlockhash
  /**
   * Creates the object that a wallet adapter signs. Default: an object with `version`, `message`,
   * `signatures` and `serialize`, which is enough for wallets of the wallet standard. Older
   * adapters need `(bytes) => VersionedTransaction.deserialize(bytes)` of @solana/web3.js.
   */
  readonly toTransaction?: (bytes: Uint8Array) => object
}

/**
 * A signer that pays on Solana, and signs in as well if its source can sign messages: a raw secret,
 * a wallet adapter, a wallet of the wallet standard (its first account), or a signer of
 * @solana/kit. The signed transaction is checked before it is sent. A secret is kept in a closure:
 * no property, inspection, JSON or error reveals it. Throws an AuthError `invalid_signer`, or
 * `invalid_key` for bytes that are not a valid secret.
 *
 * @example
 * ```ts
 * const signer = solanaPaymentSigner(window.solana)
 * const caps = { maxUsdPerPayment: 10, maxUsdPerDay: 20 }
 * const payingFetch = withMiddleware(fetch, pay(signer, { origin, ...caps }))
 * ```
 */
export function solanaPaymentSigner(
  source: SolanaPayerSource,
  options: SolanaPaymentSignerOptions = {},
): WalletSigner & SolanaPaymentSigner {
  const { address, signIn, signTransaction } = adaptPayer(
    source,
    options.toTransaction ?? toPlainTransaction,
  )
  const sign = async (request: Uint8Array, network: string) => {
    const transaction = await callWallet(address, () => signTransaction(request, network))
    return { transaction, message: checkSignedTransaction(transaction, request, address) }
  }
  const rail = Object.freeze(createSolanaRail(address, sign, options.latestBlockhash))
  return Object.freeze<WalletSigner & SolanaPaymentSigner>({
    kind: 'solana',
    address,
    sign: signIn,
    rail,
  })
}

async function callWallet(address: string, sign: () => Promise<unknown>): Promise<Uint8Array> {
  let transaction: unknown
  try {
    transaction = await sign()
  } catch (cause) {
    throw new PaymentError(
      'signing_failed',
      `Payment: the wallet ${address} did not sign the transaction (${describeThrown(cause)}), and nothing was sent`,
      {
        cause,
      },
    )
  }
  if (transaction instanceof Uint8Array) return transaction
  throw new PaymentError(
    'signing_failed',
    `Payment: the wallet ${address} did not return a transaction`,
  )
}

/** Verifiers accept seven instructions: our four, and those that a wallet adds. */
const maxInstructions = 7

/**
 * The message that a wallet signed, if it is the requested payment. Wallets such as Phantom and
 * Solflare may add assertions and set the price of compute units, which the fee payer pays. Any
 * other difference is a PaymentError `signing_failed`, and so is a signature that is not the
 * payer's over these bytes.
 */
function checkSignedTransaction(
  transaction: Uint8Array,
  request: Uint8Array,
  payer: string,
): Uint8Array {
  const expected = decode(encodeTransaction([new Uint8Array(64), new Uint8Array(64)], request))
  const signed = decode(transaction)
  if (!expected || !signed || !isSamePayment(signed, expected))
    throw createSigningError('the wallet did not sign the requested payment')
  const signature = signed.signatures[signed.accounts.findIndex(({ address }) => address === payer)]
  if (!signature || !verifyEd25519(signature, signed.message, base58.decode(payer))) {
    throw createSigningError(
      'the signature does not cover the transaction; some hardware wallets sign an envelope around it, which chains reject',
    )
  }
  return signed.message
}

function decode(transaction: Uint8Array): SolanaTransaction | undefined {
  return readSolanaTransaction(base64.encode(transaction))
}

function isSamePayment(signed: SolanaTransaction, expected: SolanaTransaction): boolean {
  const addedInstructions = signed.instructions.slice(expected.instructions.length)
  return (
    signed.recentBlockhash === expected.recentBlockhash &&
    serialize(signed.accounts.filter(({ signer }) => signer)) ===
      serialize(expected.accounts.filter(({ signer }) => signer)) &&
    signed.instructions.length <= maxInstructions &&
    expected.instructions.every((instruction, at) =>
      isSame(signed.instructions[at], instruction),
    ) &&
    addedInstructions.every(({ program }) => program === lighthouseProgram)
  )
}

function isSame(signed: SolanaInstruction | undefined, expected: SolanaInstruction): boolean {
  if (expected.program === computeBudgetProgram) return signed?.program === computeBudgetProgram
  return serialize(signed) === serialize(expected)
}

function serialize(value: unknown): string {
  return JSON.stringify(value, (_name, field: unknown) =>
    field instanceof Uint8Array ? base64.encode(field) : field,
  )
}

function createSigningError(what: string): PaymentError {
  return new PaymentError('signing_failed', `Payment: ${what}`)
}
