import type { RequestOutcome } from './send.js'

/** Micro-USD. */
export type Amount = bigint

/** Something paid that a caller asked for once, or several times with one Idempotency-Key. */
export type Purchase = {
  readonly account: string
  readonly model: string
  readonly price: Amount
  /** A video is paid for when it is made, after its response. */
  readonly isVideo?: boolean
  /** A part is paid for by itself, and leaves an Idempotency-Key free. */
  readonly sellsParts?: boolean
  /** Whether it has an Idempotency-Key. Only then it is sent more than once. */
  readonly hasKey: boolean
  readonly seen: readonly RequestOutcome[]
}

/** A payment that a caller signed once and may have sent several times. */
export type TopUp = {
  readonly account: string
  readonly amount: Amount
  readonly seen: readonly RequestOutcome[]
}

export type ApiKey = { readonly id: string; readonly limit: Amount }

/** What callers know. It says what the ledger may be. */
export type Knowledge = {
  readonly purchases: readonly Purchase[]
  readonly topUps: readonly TopUp[]
  readonly keys: readonly ApiKey[]
}

export type EntryRow = {
  readonly account: string
  readonly type: string
  /** Below zero for a charge. */
  readonly amount: Amount
  readonly requestId: string | null
  readonly model: string | null
  readonly keyId: string | null
}

export type LedgerRows = {
  readonly accounts: readonly {
    readonly account: string
    readonly balance: Amount
    readonly held: Amount
  }[]
  readonly entries: readonly EntryRow[]
  /** The state of each video by its `queue_id`. */
  readonly videos: ReadonlyMap<string, string>
}
