import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import {
  deriveAssociatedTokenAddress,
  computeBudgetProgram,
  lighthouseProgram,
  memoProgram,
  type UsdcMint,
  usdcMints,
} from '../solana/address.js'
import {
  readSolanaTransaction,
  type SolanaInstruction,
  type SolanaTransaction,
} from '../solana/transaction.js'
import { verifyEd25519 } from '../native/ed25519.js'
import {
  checkAmount,
  type PaymentTerms,
  type Rail,
  readStringField,
  type SolanaPayload,
  type VerifiedSolanaPayment,
  type VerifyPaymentOptions,
} from './rail.js'
import { createVerificationError } from './errors.js'

/** USDC by a transaction whose fee the service's facilitator pays. */
export const solanaRail: Rail<UsdcMint, SolanaPayload> = {
  scheme: 'exact',
  networks: /^solana(?:$|[:-])/,
  tokens: usdcMints,
  isSame: (left, right) => left === right,
  // each offer has a new blockhash, so it is not compared
  terms: ['feePayer', 'memo'],
  otherPayee: 'invalid_exact_svm_payload_recipient_mismatch',
  read: (payload) => ({ transaction: readStringField(payload, 'transaction') }),
  verify: async (payload, terms, options) => verify(payload, terms, options),
}

/**
 * 5 lamports per unit. With the largest number of units the fee payer loses 0.007 SOL.
 */
const maxMicroLamports = 5_000_000n
const maxChainComputeUnits = 1_400_000

/**
 * Verifies a transaction against the accepted offer. It must have a compute budget, one checked
 * transfer of the mint to the token account of the payee, then at most four memos and wallet
 * assertions. The payer has signed, the offered fee payer has not, and no instruction uses the fee
 * payer's account.
 */
function verify(
  payload: SolanaPayload,
  terms: PaymentTerms<UsdcMint>,
  options: VerifyPaymentOptions,
): VerifiedSolanaPayment {
  const { offer, token, shape } = terms
  const feePayer = offer.extra?.['feePayer']
  if (typeof feePayer !== 'string')
    throw createVerificationError(
      'invalid_exact_svm_payload_missing_fee_payer',
      'the offer has no fee payer',
    )
  const transaction = readSolanaTransaction(payload.transaction)
  if (!transaction) {
    throw createVerificationError(
      'invalid_exact_svm_payload_transaction_could_not_be_decoded',
      '"transaction" is not base64 of a version 0 transaction without address tables',
    )
  }
  checkFeePayer(transaction, feePayer)
  const [limit, price, transfer, ...others] = transaction.instructions
  if (!limit || !price || !transfer || others.length > 4) {
    throw createVerificationError(
      'invalid_exact_svm_payload_transaction_instructions_length',
      `it has ${transaction.instructions.length} instructions, expected 3 to 7`,
    )
  }
  checkComputeBudget(limit, price, options.maxComputeUnits ?? maxChainComputeUnits)
  const { amount, payer } = readTransfer(transfer, token, offer.payTo)
  checkOthers(others, offer.extra?.['memo'])
  checkSigners(transaction, payer)
  return {
    kind: 'solana',
    scheme: 'exact',
    payer,
    nonce: `0x${bytesToHex(sha256(transaction.message))}`,
    amount: checkAmount(
      String(amount),
      terms,
      options,
      'invalid_exact_svm_payload_amount_mismatch',
    ),
    network: token.network,
    asset: token.asset,
    payTo: offer.payTo,
    shape,
    payload,
    ...payload,
    feePayer,
    recentBlockhash: transaction.recentBlockhash,
  }
}

/**
 * The fee payer signs the whole transaction, so it must not have another role in it.
 */
function checkFeePayer({ accounts, instructions }: SolanaTransaction, feePayer: string): void {
  if (accounts[0]?.address !== feePayer) {
    throw createVerificationError(
      'invalid_exact_svm_fee_payer_mismatch',
      `its fee payer is not the offered ${feePayer}`,
    )
  }
  if (
    instructions.some((instruction) =>
      instruction.accounts.some(({ address }) => address === feePayer),
    )
  ) {
    throw createVerificationError(
      'invalid_exact_svm_payload_transaction_fee_payer_transferring_funds',
      'an instruction uses the account of the fee payer',
    )
  }
}

function checkComputeBudget(
  limit: SolanaInstruction,
  price: SolanaInstruction,
  maxUnits: number,
): void {
  const prefix = 'invalid_exact_svm_payload_transaction_instructions_compute'
  if (!isCall(limit, computeBudgetProgram, 2, 5) || limit.accounts.length > 0) {
    throw createVerificationError(
      `${prefix}_limit_instruction`,
      'the first instruction does not set the compute unit limit',
    )
  }
  if (!isCall(price, computeBudgetProgram, 3, 9) || price.accounts.length > 0) {
    throw createVerificationError(
      `${prefix}_price_instruction`,
      'the second instruction does not set the compute unit price',
    )
  }
  const units = toDataView(limit).getUint32(1, true)
  if (units > maxUnits)
    throw createVerificationError(
      `${prefix}_limit_instruction_too_high`,
      `it requests ${units} compute units, expected at most ${maxUnits}`,
    )
  const microLamports = toDataView(price).getBigUint64(1, true)
  if (microLamports > maxMicroLamports) {
    throw createVerificationError(
      `${prefix}_price_instruction_too_high`,
      `it pays ${microLamports} micro-lamports per unit, expected at most ${maxMicroLamports}`,
    )
  }
}

/** TransferChecked: source, mint, destination, authority. More accounts mean a multisignature. */
function readTransfer(
  transfer: SolanaInstruction,
  mint: UsdcMint,
  payTo: string,
): { amount: bigint; payer: string } {
  const [source, token, destination, authority] = transfer.accounts
  const isTransfer = isCall(transfer, mint.tokenProgram, 12, 10) && transfer.accounts.length === 4
  if (
    !isTransfer ||
    !source ||
    !token ||
    !destination ||
    !authority ||
    transfer.data[9] !== mint.decimals
  ) {
    throw createVerificationError(
      'invalid_exact_svm_payload_no_transfer_instruction',
      'the third instruction is not a TransferChecked of USDC by one authority',
    )
  }
  if (token.address !== mint.asset)
    throw createVerificationError(
      'invalid_exact_svm_payload_mint_mismatch',
      'it does not transfer the offered token',
    )
  // a payee or its delegate would pay with the payee's own tokens, so no money would arrive
  if (
    destination.address !== derivePayeeAccount(payTo, mint) ||
    source.address === destination.address
  ) {
    throw createVerificationError(
      'invalid_exact_svm_payload_recipient_mismatch',
      'it does not pay the token account of the payee',
    )
  }
  if (!source.writable || !destination.writable || !authority.signer) {
    throw createVerificationError(
      'invalid_exact_svm_payload_no_transfer_instruction',
      'the accounts of the transfer lack the required flags',
    )
  }
  return { amount: toDataView(transfer).getBigUint64(1, true), payer: authority.address }
}

function derivePayeeAccount(payTo: string, mint: UsdcMint): string {
  try {
    return deriveAssociatedTokenAddress(payTo, mint.asset, mint.tokenProgram)
  } catch {
    throw createVerificationError(
      'invalid_payment_requirements',
      `the offer pays "${payTo}", which is not a Solana address`,
    )
  }
}

function checkOthers(others: readonly SolanaInstruction[], memo: unknown): void {
  if (others.some(({ program }) => program !== memoProgram && program !== lighthouseProgram)) {
    throw createVerificationError(
      'invalid_exact_svm_payload_unknown_optional_instruction',
      'only memos and wallet assertions may follow the transfer',
    )
  }
  if (typeof memo !== 'string' || memo === '') return
  const memos = others.filter(({ program }) => program === memoProgram)
  if (memos.length !== 1)
    throw createVerificationError(
      'invalid_exact_svm_payload_memo_count',
      `it has ${memos.length} memos, expected 1`,
    )
  if (memos[0] && bytesToHex(memos[0].data) !== bytesToHex(new TextEncoder().encode(memo))) {
    throw createVerificationError(
      'invalid_exact_svm_payload_memo_mismatch',
      'the memo is not the offered one',
    )
  }
}

/** The fee payer signs later. The payer's signature is verified. A third one is rejected. */
function checkSigners({ accounts, signatures, message }: SolanaTransaction, payer: string): void {
  const [first, second, ...more] = signatures
  if (more.length > 0 || accounts[1]?.address !== payer) {
    throw createVerificationError(
      'invalid_exact_svm_payload_excessive_signers',
      'it needs signatures other than those of the payer and the fee payer',
    )
  }
  const isSigned = second && verifyEd25519(second, message, base58.decode(payer))
  if (!isSigned || first?.some((byte) => byte !== 0)) {
    throw createVerificationError(
      'invalid_exact_svm_payload_signature_invalid',
      'it is not signed by the payer only',
    )
  }
}

function isCall(
  { program, data }: SolanaInstruction,
  expected: string,
  kind: number,
  length: number,
): boolean {
  return program === expected && data[0] === kind && data.length === length
}

function toDataView({ data }: SolanaInstruction): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength)
}
