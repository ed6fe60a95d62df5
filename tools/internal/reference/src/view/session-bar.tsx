import { useContext, useEffect, useState } from 'preact/hooks'
import type { CredentialKind } from '../contract/operation-data.js'
import { Scope } from '../form/field.js'
import type { SessionBarProps } from './edition.js'
import { type Session, type SessionStore, useSession } from '../session/session.js'
import {
  type BrowserWallet,
  createThrowAwayWallet,
  selectWallet,
  watchBrowserWallets,
} from '../session/wallet.js'

const credentialNames: Readonly<Record<CredentialKind, string>> = {
  wallet: 'Wallet',
  key: 'API key',
  none: 'No credential',
}

const emptySession: Partial<Session> = {
  keep: false,
  key: '',
  wallet: undefined,
  walletKey: undefined,
  balanceUsd: undefined,
  ledger: undefined,
  remembered: {},
}

/** The form of the session that all pages share. */
export function SessionBar({ store }: Pick<SessionBarProps, 'store'>) {
  const session = useSession(store)
  const { service, access, key, keep, wallet, balanceUsd, remembered } = session
  const { queue_id: queueId } = remembered
  const scope = useContext(Scope)
  return (
    <fieldset class="fbr-session">
      <legend>Session</legend>
      <div class="fbr-pair">
        <div class="fbr-field">
          <label for={`${scope}-origin`}>Service</label>
          <input
            id={`${scope}-origin`}
            name="origin"
            type="url"
            required
            value={service}
            spellcheck={false}
            onInput={(event) => store.update({ service: event.currentTarget.value })}
          />
        </div>
        <div class="fbr-field">
          <label for={`${scope}-access`}>Credential</label>
          <select
            id={`${scope}-access`}
            name="access"
            value={access}
            onChange={(event) =>
              store.update({ access: event.currentTarget.value as CredentialKind })
            }
          >
            {Object.entries(credentialNames).map(([kind, name]) => (
              <option value={kind}>{name}</option>
            ))}
          </select>
        </div>
      </div>
      {access === 'key' && (
        <div class="fbr-field">
          <label for={`${scope}-key`}>API key</label>
          <input
            id={`${scope}-key`}
            name="key"
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={key}
            onInput={(event) =>
              store.update({ key: event.currentTarget.value.trim(), ledger: undefined })
            }
          />
        </div>
      )}
      {access === 'wallet' && <WalletChooser store={store} />}
      <div class="fbr-row">
        {access === 'wallet' && wallet !== undefined && (
          <p class="fbr-who">
            {wallet.name} <code>{wallet.signer.address}</code>
            {balanceUsd !== undefined && <strong> {balanceUsd} USD</strong>}
          </p>
        )}
        {queueId !== undefined && (
          <p class="fbr-queue">
            Last video <code>{queueId}</code>
          </p>
        )}
        <label class="fbr-check">
          <input
            type="checkbox"
            name="keep"
            checked={keep}
            onChange={(event) => store.update({ keep: event.currentTarget.checked })}
          />
          Keep in this tab
        </label>
        <button type="button" class="fbr-small" onClick={() => store.update(emptySession)}>
          Forget all
        </button>
      </div>
      <p class="fbr-hint">
        {keep
          ? 'The key or the private key of the throw-away wallet is in the storage of this tab until you close it or choose "Forget all".'
          : 'Credentials stay in the memory of this page and of those that you open from it. A reload forgets them.'}
      </p>
    </fieldset>
  )
}

/** A button for a throw-away wallet and one for each wallet of the browser. */
function WalletChooser({ store }: { readonly store: SessionStore }) {
  const [wallets, setWallets] = useState<readonly BrowserWallet[]>([])
  const [problem, setProblem] = useState('')
  useEffect(
    () =>
      watchBrowserWallets((wallet) =>
        setWallets((known) => [...known.filter(({ id }) => id !== wallet.id), wallet]),
      ),
    [],
  )
  const use = async (connect: BrowserWallet['connect']) => {
    setProblem('')
    try {
      selectWallet(store, await connect())
    } catch (error) {
      setProblem(
        `The wallet was not connected: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }
  return (
    <div class="fbr-row" role="group" aria-label="Wallets">
      <button
        type="button"
        class="fbr-small"
        onClick={() => void use(() => createThrowAwayWallet())}
      >
        New throw-away wallet
      </button>
      {wallets.map(({ id, name, connect }) => (
        <button type="button" class="fbr-small" key={id} onClick={() => void use(connect)}>
          Connect {name}
        </button>
      ))}
      <p class="fbr-problem" role="status">
        {problem}
      </p>
    </div>
  )
}
