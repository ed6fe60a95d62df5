import type { SessionStore } from './session.js'
import { throwAwayWallet, type Wallet } from './wallet.js'

/** The session's wallet; a throw-away one is made if there is none. */
export async function openWallet(store: SessionStore): Promise<Wallet> {
  const { wallet, walletKey } = store.get()
  return wallet ?? useWallet(store, await throwAwayWallet(walletKey))
}

/** Has all pages call with this wallet. */
export function useWallet(store: SessionStore, wallet: Wallet): Wallet {
  const { remembered } = store.get()
  const { address } = wallet.signer
  store.update({
    wallet,
    walletKey: wallet.secret,
    access: 'wallet',
    balanceUsd: undefined,
    ledger: undefined,
    remembered: { ...remembered, walletAddress: address },
  })
  return wallet
}
