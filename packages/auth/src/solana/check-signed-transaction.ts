import { base58, base64 } from '@scure/base'
import { PaymentError } from '../payment-error.js'
import { readSolanaTransaction, type SolanaInstruction, type SolanaTransaction } from './read-solana-transaction.js'
import { verifyEd25519 } from './verify-ed25519.js'
import { encodeTransaction } from './encode-message.js'
import { computeBudgetProgram, lighthouseProgram } from './programs.js'

/** Verifiers accept seven instructions: our four, and those that a wallet adds. */
const mostInstructions = 7

/**
 * The message that a wallet signed, if it is the requested payment. Wallets such as Phantom and
 * Solflare may add assertions and set the price of compute units, which the fee payer pays. Any
 * other difference is a PaymentError `signing_failed`, and so is a signature that is not the
 * payer's over these bytes.
 */
export function checkSignedTransaction(transaction: Uint8Array, asked: Uint8Array, payer: string): Uint8Array {
  const wanted = read(encodeTransaction([new Uint8Array(64), new Uint8Array(64)], asked))
  const signed = read(transaction)
  if (!wanted || !signed || !isSamePayment(signed, wanted))
    throw failed('the wallet signed something else than the payment it was asked to sign')
  const signature = signed.signatures[signed.accounts.findIndex(({ address }) => address === payer)]
  if (!signature || !verifyEd25519(signature, signed.message, base58.decode(payer))) {
    throw failed('the signature does not cover the transaction; some hardware wallets sign an envelope around it, which no chain takes')
  }
  return signed.message
}

function read(transaction: Uint8Array): SolanaTransaction | undefined {
  return readSolanaTransaction(base64.encode(transaction))
}

function isSamePayment(signed: SolanaTransaction, wanted: SolanaTransaction): boolean {
  const added = signed.instructions.slice(wanted.instructions.length)
  return (
    signed.recentBlockhash === wanted.recentBlockhash &&
    textOf(signed.accounts.filter(({ signer }) => signer)) === textOf(wanted.accounts.filter(({ signer }) => signer)) &&
    signed.instructions.length <= mostInstructions &&
    wanted.instructions.every((instruction, at) => isSame(signed.instructions[at], instruction)) &&
    added.every(({ program }) => program === lighthouseProgram)
  )
}

function isSame(signed: SolanaInstruction | undefined, wanted: SolanaInstruction): boolean {
  if (wanted.program === computeBudgetProgram) return signed?.program === computeBudgetProgram
  return textOf(signed) === textOf(wanted)
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) => (one instanceof Uint8Array ? base64.encode(one) : one))
}

function failed(what: string): PaymentError {
  return new PaymentError('signing_failed', `Payment: ${what}`)
}
