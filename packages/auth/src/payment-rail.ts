/** An offer that may be paid: every field was checked that the signature depends on. */
export type Offer = {
  /** As the service sent it. */
  readonly entry: Readonly<Record<string, unknown>>
  /** CAIP-2, whatever the service wrote. */
  readonly network: string
  readonly payTo: string
  /** Atomic units: what the service asks for. */
  readonly amount: bigint
  readonly timeoutSeconds: number
}

export type PaymentTerms = {
  /** Atomic units: what is signed. */
  readonly amount: bigint
  /** Milliseconds since 1970, by the service's clock: at most 15 minutes from `now`. */
  readonly serviceNow: number
  /** Milliseconds since 1970, by our own clock. */
  readonly now: number
  /** Fills the bytes. */
  readonly random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array
}

/** What was signed. */
export type SignedPayment = {
  /** 0x and 64 hex digits, never twice the same. */
  readonly nonce: string
  /** The `payload` of the x402 document. */
  readonly payload: object
  /** Milliseconds since 1970 by our own clock: from then on the payment can no longer be settled. */
  readonly heldUntil: number
}

/** How wallets of one kind of chain pay: which offers they can pay, and how they sign for one. */
export type PaymentRail = {
  /** The paying wallet, in the one spelling of its chain. */
  readonly payer: string
  /** CAIP-2 names of the networks to pay on where the user names none. */
  readonly networks: readonly string[]
  /** The CAIP-2 name of a network with USDC that we know, from that or from its name in version 1. */
  readonly networkOf: (name: string) => string | undefined
  /** Why an offer on a known network is not to be paid. An Error says so by its own code. */
  readonly objection: (entry: Readonly<Record<string, unknown>>) => Objection | undefined
  readonly isSame: (one: string, other: string) => boolean
  readonly sign: (offer: Offer, terms: PaymentTerms) => Promise<SignedPayment>
}

export type Objection = { readonly code: 'no_acceptable_offer' | 'domain_mismatch'; readonly why: string }
