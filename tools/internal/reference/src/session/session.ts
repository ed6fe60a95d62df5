import type { CredentialKind } from '../contract/operation-data.js'
import type { LedgerState } from './ledger-state.js'
import type { Wallet } from './wallet.js'

/** Who calls which service, and what the calls so far have told. One for all pages. */
export type Session = Kept & {
  readonly wallet?: Wallet | undefined
  readonly balanceUsd?: number | undefined
  /** The ledger of the wallet as it was last read. */
  readonly ledger?: LedgerState | undefined
  /** The person has asked to keep the session in this tab. */
  readonly keep: boolean
}

/**
 * What "keep in this tab" keeps. A browser wallet is connected again, since it holds its own key.
 */
type Kept = {
  /** The service as it was typed: any address within it. */
  readonly service: string
  readonly access: CredentialKind
  readonly key: string
  /** The private key of a throw-away wallet. */
  readonly walletKey?: string | undefined
  /** Values of answers that later calls ask for, by the name of their field. */
  readonly remembered: Readonly<Record<string, string>>
}

export type SessionStore = {
  readonly get: () => Session
  readonly update: (change: Partial<Session>) => void
  /** Calls back after each change until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void
}

/** The origin of the session's service. Throws a TypeError if it is not an address. */
export function serviceOrigin({ service }: Session): string {
  return new URL(service).origin
}

const storageKey = 'farebox-session'

/**
 * Holds the session in memory. Storage is written only while `keep` is set, and cleared when it is
 * unset.
 */
export function sessionStore(
  service: string,
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
): SessionStore {
  const stored = read(storage.getItem(storageKey))
  let session: Session = {
    service,
    access: 'wallet',
    key: '',
    remembered: {},
    ...stored,
    keep: stored !== undefined,
  }
  const listeners = new Set<() => void>()
  return {
    get: () => session,
    update: (change) => {
      const kept = session.keep
      session = { ...session, ...change }
      if (session.keep) storage.setItem(storageKey, write(session))
      else if (kept) storage.removeItem(storageKey)
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function write({ service, access, key, walletKey, remembered }: Session): string {
  const kept: Kept = { service, access, key, walletKey, remembered }
  return JSON.stringify(kept)
}

/** What another version of this page has stored may not be readable. */
function read(text: string | null): Kept | undefined {
  try {
    return text === null ? undefined : (JSON.parse(text) as Kept)
  } catch {
    return undefined
  }
}
