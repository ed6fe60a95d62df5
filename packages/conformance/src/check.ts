import type { PaymentSigner, WalletSigner } from '@farebox/auth'
import type { Credential, Probe } from './probe.js'

/** One thing that the contract says, and how to see whether a service does it. */
export type Check = {
  readonly id: string
  /** What holds when the check passes. */
  readonly title: string
  /** Where the contract says it. */
  readonly rule: string
  /** Throws `Finding` when it does not hold, and `Skipped` when the check cannot tell. */
  readonly run: (subject: Subject) => Promise<void>
}

/** The service under test, and what may be used on it. */
export type Subject = {
  readonly probe: Probe
  readonly baseUrl: string
  readonly serviceName: string
  /** A new wallet, which the service has not seen. */
  readonly stranger: WalletSigner & PaymentSigner
  /** Another one, on Solana. */
  readonly solanaStranger: WalletSigner
  /** The API key of the options. */
  readonly apiKey?: string
  /** The amount to top up. Without it nothing is paid. */
  readonly topUpUsd?: number
  /** Pays for the checks that cost something. Without it they are skipped. */
  readonly payer: Payer | undefined
  readonly budget: Budget
  /** For requests that are not operations, such as the download of a video. */
  readonly fetch: typeof globalThis.fetch
}

export type Payer = { readonly credential: Credential; readonly wallet?: WalletSigner & PaymentSigner }

/** What may still be spent. */
export type Budget = {
  /** Throws `Skipped` when there is not so much left. */
  readonly take: (usd: number) => void
}
