import type { CredentialKind, OperationData } from '../contract/operation-data.js'
import type { LedgerState } from '../session/ledger-state.js'
import { readRemembered } from '../session/remember.js'
import type { Session, SessionStore } from '../session/session.js'
import type { Tell } from '../wire/exchange.js'

/** The session's credential if the operation takes it, else one that it takes. */
export function chooseAccess({ credentials }: OperationData, { access }: Session): CredentialKind {
  return credentials.includes(access) ? access : (credentials[0] ?? 'none')
}

/** Keeps in the session what an answer tells: the balance, and what later calls ask for. */
export function learn(store: SessionStore, response: Response, text: string): void {
  const balance = response.headers.get('x-balance-remaining')
  if (balance !== null) store.update({ balanceUsd: Number(balance) })
  if (!response.ok || text === '') return
  const { remembered } = store.get()
  const found = readRemembered(parseJson(text))
  if (Object.keys(found).length > 0) store.update({ remembered: { ...remembered, ...found } })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Tells the entries that the ledger did not have before, and the credit if it is another one. */
export function tellCharges(
  now: LedgerState | undefined,
  before: LedgerState | undefined,
  tell: Tell,
): void {
  if (now === undefined) return
  const same = before?.access === now.access ? before : undefined
  const known = new Set(same?.rows.map(({ id }) => id))
  for (const { id, type, amount } of now.rows.toReversed())
    if (!known.has(id)) tell({ kind: 'charge', text: `${type} ${amount} USD` })
  if (same?.balanceUsd !== now.balanceUsd)
    tell({ kind: 'charge', text: `Credit after this: ${now.balanceUsd} USD` })
}

/** An error as a sentence for the reader of the page. */
export function explain(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return error instanceof TypeError
    ? `No response came (${message}). Is the service running at this address?`
    : message
}
