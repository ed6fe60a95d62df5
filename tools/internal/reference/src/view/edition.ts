import type { JSX } from 'preact'
import type * as Caller from '../call/caller.js'
import type { Printer } from '../call/request.js'
import type { OperationData, Values } from '../contract/operation-data.js'
import type { Problems } from '../form/problems.js'
import type { SessionStore, Wallet } from '../session/session.js'

/** What differs between the console of our own service and that of any other document. */
export type Edition = {
  /** The form of the server and the credentials. */
  readonly SessionBar: (props: SessionBarProps) => JSX.Element
  /** Checks values before they are sent. */
  readonly findProblems: (operation: OperationData, values: Values) => Promise<Problems>
  /** The languages of "Copy as". */
  readonly printers: readonly Printer[]
  /** Wallets, payments and the ledger. Only our own service has them. */
  readonly payments?: {
    readonly openWallet: (store: SessionStore) => Promise<Wallet>
    readonly load: () => Promise<typeof Caller>
  }
}

export type SessionBarProps = { readonly store: SessionStore; readonly operation: OperationData }
