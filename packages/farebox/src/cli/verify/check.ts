import type { PaymentSigner, WalletSigner } from '@farebox/auth'
import type { Credential, Probe } from './probe.js'

/** One thing that the contract says, and how to see whether a service does it. */
export type Check = {
  readonly id: string
  /** What holds when the check passes. */
  readonly title: string
  /** Where it is said. */
  readonly rule: string
  /** Throws `Finding` when it does not hold, and `Skipped` when that cannot be told. */
  readonly run: (subject: Subject) => Promise<void>
}

/** The service under test, and what may be used on it. */
export type Subject = {
  readonly probe: Probe
  readonly baseUrl: string
  readonly serviceName: string
  /** A wallet of this run, which nobody knows. */
  readonly stranger: WalletSigner & PaymentSigner
  readonly solanaStranger: WalletSigner
  /** The user's own. */
  readonly apiKey?: string
  /** The wallet to top up, with the amount; nothing is paid without it. */
  readonly topUpUsd?: number
  /** Who pays for what costs something, and how much of it is left. Nobody: nothing that costs is asked for. */
  readonly payer: Payer | undefined
  readonly budget: Budget
}

export type Payer = { readonly credential: Credential; readonly wallet?: WalletSigner & PaymentSigner }

/** What may still be spent. */
export type Budget = {
  /** Throws `Skipped` when there is not so much left. */
  readonly take: (usd: number) => void
}

/** The service does not do what the contract says. */
export class Finding extends Error {
  override readonly name = 'Finding'
  readonly expected: string
  readonly found: string

  constructor(expected: string, found: string) {
    super(`expected ${expected}, found ${found}`)
    this.expected = expected
    this.found = found
  }
}

/** A check that needs something which is not there. */
export class Skipped extends Error {
  override readonly name = 'Skipped'
}

/** Throws a `Finding` unless it holds. */
export function must(holds: boolean, expected: string, found: unknown): asserts holds {
  if (!holds) throw new Finding(expected, shortOf(found))
}

export function shortOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
