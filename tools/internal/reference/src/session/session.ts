import type { PaymentSigner, WalletSigner } from '@farebox/auth'
import type { LedgerEntry } from '@farebox/types'
import { useEffect, useState } from 'preact/hooks'
import type {
  CredentialKind,
  OperationData,
  SchemeData,
  Values,
} from '../contract/operation-data.js'

/** The caller, the service, and what earlier responses have shown. All pages share one session. */
export type Session = StoredSession & {
  readonly wallet?: Wallet | undefined
  readonly balanceUsd?: number | undefined
  /** The ledger of the wallet as it was last read. */
  readonly ledger?: LedgerState | undefined
  /** Whether to keep the session in the storage of this tab. */
  readonly keep: boolean
}

/** The stored part. A browser wallet is not stored: it holds its own key and is connected again. */
type StoredSession = {
  /** Any address of the service, as it was typed. */
  readonly service: string
  readonly access: CredentialKind
  readonly key: string
  /** The credentials of other documents, by the names of their schemes. */
  readonly secrets: Secrets
  /** The names of the schemes that the reader chose. */
  readonly alternative?: string | undefined
  /** The private key of a throw-away wallet. */
  readonly walletKey?: string | undefined
  /** Values of responses that later calls need, by the name of their field. */
  readonly remembered: Readonly<Record<string, string>>
}

/** What the reader entered, by the name of the scheme. Of `basic`: user, colon and password. */
export type Secrets = Readonly<Record<string, string>>

/** A wallet that signs in, and pays if it has a payer. */
export type Wallet = {
  /** "Throw-away wallet", or the name of a browser wallet. */
  readonly name: string
  readonly signer: WalletSigner
  readonly payer: PaymentSigner | undefined
  /** Whether the wallet asks for confirmation of each signature. */
  readonly asks: boolean
  /** The private key of a throw-away wallet. */
  readonly secret?: string
}

export type SessionStore = {
  readonly get: () => Session
  readonly update: (change: Partial<Session>) => void
  /** Calls `listener` after each change until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void
}

/** The origin of the session's service. Throws a TypeError if it is not an address. */
export function readServiceOrigin({ service }: Session): string {
  return new URL(service).origin
}

/** An alternative by the names of its schemes. Empty for calls without credentials. */
export function nameAlternative(schemes: readonly SchemeData[]): string {
  return schemes.map(({ name }) => name).join(' + ')
}

/** The alternative that the session chose, else the first. */
export function chooseAlternative(
  { access }: OperationData,
  { alternative }: Session,
): readonly SchemeData[] {
  const { alternatives = [] } = access ?? {}
  return (
    alternatives.find((schemes) => nameAlternative(schemes) === alternative) ??
    alternatives[0] ??
    []
  )
}

/** The address in front of the path of an operation. Throws a TypeError if it is not an address. */
export function findBase({ access }: OperationData, session: Session): string {
  if (access === undefined) return `${readServiceOrigin(session)}/api/v1`
  // a server may be relative to the place of the document
  return new URL(session.service, globalThis.location?.href).href.replace(/\/+$/, '')
}

/**
 * Holds the session in memory. Storage is written only while `keep` is set, and cleared when it is
 * unset.
 */
export function createSessionStore(
  service: string,
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
  storageKey = 'farebox-session',
): SessionStore {
  const stored = read(storage.getItem(storageKey))
  let session: Session = {
    service,
    access: 'wallet',
    key: '',
    secrets: {},
    remembered: {},
    ...stored,
    keep: stored !== undefined,
  }
  const listeners = new Set<() => void>()
  return {
    get: () => session,
    update: (change) => {
      const keeps = session.keep
      session = { ...session, ...change }
      if (session.keep) storage.setItem(storageKey, write(session))
      else if (keeps) storage.removeItem(storageKey)
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function write(session: Session): string {
  const { service, access, key, secrets, alternative, walletKey, remembered } = session
  const kept: StoredSession = { service, access, key, secrets, alternative, walletKey, remembered }
  return JSON.stringify(kept)
}

/** Ignores a session that cannot be read, such as that of another version of this page. */
function read(text: string | null): StoredSession | undefined {
  try {
    return text === null ? undefined : (JSON.parse(text) as StoredSession)
  } catch {
    return undefined
  }
}

/** The balance of the session's wallet or key when it was last read. */
export type LedgerState = {
  readonly access: 'key' | 'wallet'
  readonly balanceUsd: number
  /** The newest entries first. Empty for a key: the API lists only entries of wallets. */
  readonly rows: readonly LedgerEntry[]
}

type RememberedValues = Session['remembered']
type Members = Readonly<Record<string, unknown>>

/** Reads the values of a response that later calls need. */
export function readRemembered(response: unknown): RememberedValues {
  const members = (typeof response === 'object' && response !== null ? response : {}) as Members
  const { queue_id: id, model } = members
  return typeof id === 'string' ? { queue_id: id, ...(typeof model === 'string' && { model }) } : {}
}

/** Fills remembered values into the fields with their names. */
export function fillRemembered(
  { parameters, body }: OperationData,
  values: Values,
  remembered: RememberedValues,
): Values {
  const fields = body?.schema.properties ?? {}
  const findParameter = (name: string) => parameters.find((parameter) => parameter.name === name)
  // a remembered model belongs to its queue id
  const names = Object.keys(remembered).filter(
    (name) => name in fields && (name !== 'model' || 'queue_id' in fields),
  )
  const given = Object.fromEntries(names.map((name) => [name, remembered[name]]))
  const path = Object.fromEntries(
    Object.entries(remembered).filter(([name]) => findParameter(name)?.in === 'path'),
  )
  return {
    ...values,
    path: { ...values.path, ...path },
    ...(names.length > 0 && { body: { ...(values.body as Members), ...given } }),
  }
}

/** Renders again after each change of the session. */
export function useSession(store: SessionStore): Session {
  const [session, show] = useState(store.get)
  useEffect(() => {
    show(store.get())
    return store.subscribe(() => show(store.get()))
  }, [store])
  return session
}
