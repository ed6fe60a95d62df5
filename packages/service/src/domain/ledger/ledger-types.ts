import type { MicroUsd } from './money.js'

/** One movement of an account's credit. */
export type Entry = {
  readonly id: string
  readonly amount: MicroUsd
  readonly balanceAfter: MicroUsd
  readonly type: string
  readonly createdAt: Date
  readonly requestId: string | null
  readonly modelId: string | null
  /** What moved of the daily credit, beside `amount`. */
  readonly dailyCredit: MicroUsd
  /** The charge that it gives back, or a part of it. */
  readonly refunds: string | null
  /** Who moved money by hand, and why. */
  readonly actor: string | null
  readonly reason: string | null
}

/** A price to hold. */
export type Purchase = {
  readonly account: string
  /** The API key whose limits it counts against, with those of its ancestors. */
  readonly keyId?: string
  readonly amount: MicroUsd
  /** The minimum to hold if there is less credit than the amount. Default: the amount. */
  readonly least?: MicroUsd
  readonly requestId: string
  readonly modelId: string | null
}

/** The Idempotency-Key of a request, as a hash. `fingerprint` tells requests of one key apart. */
export type RequestKey = { readonly key: string; readonly fingerprint: string }

/** Charges once for each key, however often the request is sent. */
export type Idempotency = RequestKey & { readonly operation: string }

/** The charge under an Idempotency-Key. */
export type KeyedCharge = { readonly fingerprint: string; readonly entryId: string }

/** A hold that is released when `lifetimeMs` is over. */
export type Hold = Purchase & { readonly id: string; readonly lifetimeMs: number }

/**
 * A row of other work, which the statement of its hold inserts: both exist, or neither. The work
 * ends the hold, which survives its process.
 */
export type HeldWork = {
  /** `insert … select … from reserved`. `$7` is the hold, and the first of `params` is `$11`. */
  readonly insert: string
  readonly params: readonly unknown[]
}

/**
 * Why an account cannot pay: it is frozen, or too little credit, a limit or the end of the API key.
 */
export type InsufficientBalance = {
  readonly status: 'insufficient'
  readonly balance: MicroUsd
  readonly reason: 'balance' | 'key limit usd' | 'key limit diem' | 'key revoked' | 'frozen'
}

export type CaptureResult =
  | { readonly status: 'captured'; readonly entryId: string; readonly balance: MicroUsd }
  | ({ readonly status: 'known' } & KeyedCharge)
  | { readonly status: 'ended' }

export type HoldResult =
  | {
      readonly status: 'held'
      readonly id: string
      readonly balance: MicroUsd
      readonly amount: MicroUsd
    }
  | InsufficientBalance

/** The credit that an account can spend now: USD after holds, and the rest of the daily credit. */
export type SpendableCredit = {
  readonly usd: MicroUsd
  readonly diem: MicroUsd
  readonly diemDaily: MicroUsd
  /** The operator has frozen the account: it keeps its credit, and buys nothing. */
  readonly isFrozen: boolean
}

/** A payment that was verified and settled, to be credited once. */
export type Payment = {
  /** A hash of the signed fields. */
  readonly id: string
  readonly network: string
  readonly asset: string
  readonly payer: string
  readonly nonce: string
  readonly amount: MicroUsd
  readonly settledBy: string
  readonly transaction: string
}

/** What a payment is credited for. It is kept as long as an Idempotency-Key (`Retention.keys`). */
export type PaymentUse = Idempotency

export type CreditedPayment = {
  readonly id: string
  readonly network: string
  readonly payer: string
  readonly amount: MicroUsd
  readonly transaction: string
  readonly settledBy: string
  /** Balance right after the payment was credited. */
  readonly balanceAfter: MicroUsd
}

export type LedgerOptions = {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Unique ids. */
  readonly id: () => string
  /** The process whose end releases its holds (`openProcessLease`). Default: none. */
  readonly processId?: string
}
