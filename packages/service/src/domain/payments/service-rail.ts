type Extra = Readonly<Record<string, unknown>>

/** The payees of offers. */
export type PayeeOptions = {
  /** The EVM payee of offers. Default: an address without an owner. */
  readonly payTo?: string
  /** The Solana payee of offers. Default: an address without an owner. */
  readonly payToSolana?: string
}

/** The flags of `farebox-service` for payees. `program.ts` declares them. */
export type PayeeFlag = 'pay-to' | 'pay-to-solana'

/** How the service is paid on one payment rail. Money moves by a facilitator alone. */
export type ServiceRail = {
  /** Its payee in the options of `createService`. */
  readonly option: keyof PayeeOptions
  /** The flag of `farebox-service` for the payee. */
  readonly flag: PayeeFlag
  readonly isPayee: (text: string) => boolean
  /** The form of a payee, for messages. */
  readonly form: string
  /** An address without an owner, for offers without a chain. */
  readonly nobody: string
  /** The network that is offered by default (CAIP-2). */
  readonly network: string
  /** The name of the chain in a 402 for too low a balance. */
  readonly chain: string
  /** The `extra` that each offer on a network has. */
  readonly offerExtra: (network: string) => Extra
  /** The `extra` out of an entry of `/supported`. Undefined: such an entry settles nothing. */
  readonly facilitatorExtra: (supported: Extra) => Extra | undefined
  /** The `extra` of an offer without a chain. `now` is in milliseconds since 1970. */
  readonly localExtra: (now: number) => Extra
}
