import { useEffect, useState } from 'preact/hooks'
import { walletsOfBrowser, type BrowserWallet } from '../session/browser-wallets.js'
import { useWallet } from '../session/choose-wallet.js'
import type { SessionStore } from '../session/session.js'
import { throwAwayWallet } from '../session/wallet.js'

/** A button for a throw-away wallet, and one for each wallet that announces itself to the page. */
export function WalletChooser({ store }: { readonly store: SessionStore }) {
  const [wallets, show] = useState<readonly BrowserWallet[]>([])
  const [problem, say] = useState('')
  useEffect(
    () =>
      walletsOfBrowser((wallet) =>
        show((known) => [...known.filter(({ id }) => id !== wallet.id), wallet]),
      ),
    [],
  )
  const use = async (connect: BrowserWallet['connect']) => {
    say('')
    try {
      useWallet(store, await connect())
    } catch (error) {
      say(`The wallet was not connected: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return (
    <div class="fbr-row" role="group" aria-label="Wallets">
      <button type="button" class="fbr-small" onClick={() => void use(() => throwAwayWallet())}>
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
