import { associatedTokenAddress } from './associated-token-address.js'
import type { Instruction } from './encode-message.js'
import { computeBudgetProgram, memoProgram } from './programs.js'
import type { UsdcMint } from './usdc-mints.js'

export type TransferTerms = {
  readonly mint: UsdcMint
  readonly payer: string
  readonly payTo: string
  /** Atomic units, within 64 bits. */
  readonly amount: bigint
  /** At most 256 bytes of UTF-8. Makes each payment differ from the next. */
  readonly memo: string
}

/** Services refuse a higher limit. A transfer and a memo take about 11,000. */
const computeUnits = 20_000
const microLamports = 1n

/**
 * The instructions of an x402 payment on Solana, in the order that verifiers require: compute unit
 * limit, compute unit price, one checked transfer between the token accounts of the two wallets,
 * one memo.
 */
export function paymentInstructions({ mint, payer, payTo, amount, memo }: TransferTerms): readonly Instruction[] {
  const [limit, price, transfer] = [new DataView(new ArrayBuffer(5)), new DataView(new ArrayBuffer(9)), new DataView(new ArrayBuffer(10))]
  limit.setUint8(0, 2)
  limit.setUint32(1, computeUnits, true)
  price.setUint8(0, 3)
  price.setBigUint64(1, microLamports, true)
  transfer.setUint8(0, 12)
  transfer.setBigUint64(1, amount, true)
  transfer.setUint8(9, mint.decimals)
  const tokenAccount = (wallet: string) => associatedTokenAddress(wallet, mint.asset, mint.tokenProgram)
  return [
    { program: computeBudgetProgram, accounts: [], data: bytesOf(limit) },
    { program: computeBudgetProgram, accounts: [], data: bytesOf(price) },
    {
      program: mint.tokenProgram,
      accounts: [
        { address: tokenAccount(payer), writable: true },
        { address: mint.asset },
        { address: tokenAccount(payTo), writable: true },
        { address: payer, signer: true },
      ],
      data: bytesOf(transfer),
    },
    { program: memoProgram, accounts: [], data: new TextEncoder().encode(memo) },
  ]
}

function bytesOf({ buffer }: DataView): Uint8Array {
  return new Uint8Array(buffer)
}
