/** Money that a transaction moved, by another source than our ledger. Micro-USD. */
export type Settlement = {
  readonly transaction: string
  readonly payer: string
  readonly amount: bigint
}

/** A credited payment that a facilitator settled. */
export type SettledPayment = Settlement & {
  readonly id: string
  /** CAIP-2. */
  readonly network: string
  readonly asset: string
}

/**
 * `missing`: credited, and no such transaction moved money. `different`: it moved another amount,
 * or that of another payer. `extra`: it moved money without a credit.
 */
export type Difference = {
  readonly kind: 'missing' | 'different' | 'extra'
  readonly transaction: string
  /** Of the ledger; not for `extra`. */
  readonly payment?: string
  readonly detail: string
}

/** Names on EVM chains are hexadecimal in any case; those on Solana are base58. */
export function canonical(name: string): string {
  return /^0x/i.test(name) ? name.toLowerCase() : name
}
