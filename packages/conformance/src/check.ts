import type { PaymentSigner, PaymentStore, WalletSigner } from '@farebox/auth'
import type { Credential, Probe } from './probe.js'

/** One requirement of the contract, and its check. */
export type Check = {
  readonly id: string
  /** The requirement that holds when the check passes. */
  readonly title: string
  /** The place of the requirement in the contract. */
  readonly rule: string
  /** Throws `Finding` if the requirement is violated, and `Skipped` if the check cannot decide. */
  readonly run: (subject: Subject) => Promise<void>
}

/** The service under test, and the resources of the checks. */
export type Subject = {
  readonly probe: Probe
  readonly baseUrl: string
  readonly serviceName: string
  /** A new wallet, unknown to the service. */
  readonly stranger: WalletSigner & PaymentSigner
  /** Another new wallet, on Solana. */
  readonly solanaStranger: WalletSigner
  /** The API key of the options. */
  readonly apiKey?: string
  /** The amount to top up. Default: no payment. */
  readonly topUpUsd?: number
  /** Whether a request may carry a payment of its own. */
  readonly payInline?: boolean
  /** Pays for priced checks; undefined skips them. */
  readonly payer: Payer | undefined
  readonly allowInsecureHttp: boolean
  /** Where payments are recorded. Default: the store of the SDK. */
  readonly store?: PaymentStore
  readonly budget: Budget
  /** For requests that are not operations, such as the download of a video. */
  readonly fetch: typeof globalThis.fetch
}

export type Payer = {
  readonly credential: Credential
  readonly wallet?: WalletSigner & PaymentSigner
}

/** The remaining budget. */
export type Budget = {
  /** Throws `Skipped` if the remaining budget is too small. */
  readonly take: (usd: number) => void
}
