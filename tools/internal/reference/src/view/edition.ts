import type { JSX } from 'preact'
import type * as Caller from '../call/caller.js'
import type { Printer } from '../call/request.js'
import type { CredentialKind, OperationData, Values } from '../contract/operation-data.js'
import type { Problems } from '../form/problems.js'
import type { LedgerState, SessionStore, Wallet } from '../session/session.js'

/** What differs between the console of our own service and that of any other document. */
export type Edition = {
  /** The form of the server and the credentials. */
  readonly SessionBar: (props: SessionBarProps) => JSX.Element
  /** Checks values before they are sent. */
  readonly findProblems: (operation: OperationData, values: Values) => Promise<Problems>
  /** The languages of "Copy as". */
  readonly printers: readonly Printer[]
  /** Wallets, payments and the ledger. Only our own service has them. */
  readonly payments?: Payments
}

export type Payments = {
  readonly openWallet: (store: SessionStore) => Promise<Wallet>
  readonly load: () => Promise<typeof Caller>
  /** The button that pays for a call and repeats it. */
  readonly PayAndSend: (props: {
    readonly busy: boolean
    readonly onPay: () => void
  }) => JSX.Element
  /** The balance, and the newest entries of a wallet. */
  readonly Ledger: (props: LedgerProps) => JSX.Element
  /** Says why an operation uses another credential than the session. */
  readonly otherAccess: Readonly<Record<CredentialKind, string>>
}

export type LedgerProps = {
  readonly access: LedgerState['access']
  readonly ledger: LedgerState | undefined
  readonly problem: string
  readonly onRefresh: () => void
  readonly onTopUp: () => void
  readonly busy: boolean
}

export type SessionBarProps = { readonly store: SessionStore; readonly operation: OperationData }
