/**
 * One offer of an x402 server (version 2).
 * @see https://github.com/coinbase/x402 section "PaymentRequirements"
 */
export type PaymentRequirements = {
  readonly scheme: string
  /** CAIP-2. */
  readonly network: string
  /** Atomic units, as a decimal string. */
  readonly amount: string
  readonly asset: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra?: Readonly<Record<string, unknown>>
}
