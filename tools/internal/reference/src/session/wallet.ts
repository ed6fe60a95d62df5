import type { SolanaStandardWallet } from '@farebox/auth'
import type { SolanaStandardPayer } from '@farebox/auth/solana'
import type { SessionStore, Wallet } from './session.js'

/** Returns the session's wallet, or creates a throw-away wallet. */
export async function openWallet(store: SessionStore): Promise<Wallet> {
  const { wallet, walletKey } = store.get()
  return wallet ?? selectWallet(store, await createThrowAwayWallet(walletKey))
}

/** Makes this the wallet of the session. */
export function selectWallet(store: SessionStore, wallet: Wallet): Wallet {
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

/** A wallet of the browser that is not connected yet. */
export type BrowserWallet = {
  readonly id: string
  readonly name: string
  readonly connect: () => Promise<Wallet>
}

type WalletListener = (wallet: BrowserWallet) => void

/**
 * Calls `found` for each wallet that announces itself, now or later: EVM wallets by EIP-6963, Solana
 * wallets by the wallet standard. Returns a function that stops it.
 *
 * @see https://eips.ethereum.org/EIPS/eip-6963
 * @see https://github.com/wallet-standard/wallet-standard
 */
export function watchBrowserWallets(found: WalletListener): () => void {
  const evm = (event: Event) =>
    found(createEvmWallet((event as CustomEvent<ProviderDetail>).detail))
  const register = {
    register: (...wallets: readonly StandardWallet[]) =>
      wallets.filter(isSolana).map(createSolanaWallet).forEach(found),
  }
  const standard = (event: Event) =>
    (event as CustomEvent<(api: typeof register) => void>).detail(register)
  addEventListener('eip6963:announceProvider', evm)
  addEventListener('wallet-standard:register-wallet', standard)
  dispatchEvent(new Event('eip6963:requestProvider'))
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: register }))
  return () => {
    removeEventListener('eip6963:announceProvider', evm)
    removeEventListener('wallet-standard:register-wallet', standard)
  }
}

type Provider = {
  request(asked: {
    readonly method: string
    readonly params?: readonly unknown[]
  }): Promise<unknown>
}
type ProviderDetail = {
  readonly info: { readonly uuid: string; readonly name: string }
  readonly provider: Provider
}

function createEvmWallet({ info: { uuid, name }, provider }: ProviderDetail): BrowserWallet {
  const connect = async (): Promise<Wallet> => {
    const { evmSigner } = await import('@farebox/auth')
    const [address] = (await provider.request({
      method: 'eth_requestAccounts',
    })) as readonly string[]
    const signer = evmSigner(provider, address)
    return { name, signer, payer: signer, asks: true }
  }
  return { id: uuid, name, connect }
}

type StandardWallet = SolanaStandardWallet & {
  readonly name: string
  readonly features: {
    readonly 'standard:connect'?: { connect(): Promise<unknown> }
    readonly 'solana:signTransaction'?: object
  }
}

function isSolana({ features }: StandardWallet): boolean {
  return 'solana:signMessage' in features
}

function createSolanaWallet(wallet: StandardWallet): BrowserWallet {
  const { name, features } = wallet
  const connect = async (): Promise<Wallet> => {
    await features['standard:connect']?.connect()
    if ('solana:signTransaction' in features) {
      const { solanaPaymentSigner } = await import('@farebox/auth/solana')
      const payer = solanaPaymentSigner(wallet as unknown as SolanaStandardPayer)
      return { name, signer: payer, payer, asks: true }
    }
    const { solanaSigner } = await import('@farebox/auth')
    return { name, signer: solanaSigner(wallet), payer: undefined, asks: true }
  }
  return { id: `solana ${name}`, name, connect }
}

/** Creates a wallet from a private key, by default a new one. Loads the curves on first use. */
export async function createThrowAwayWallet(key?: string): Promise<Wallet> {
  const { generatePrivateKey, privateKeySigner } = await import('@farebox/auth/keys')
  const secret = key ?? generatePrivateKey()
  const signer = privateKeySigner(secret)
  return { name: 'Throw-away wallet', signer, payer: signer, asks: false, secret }
}
