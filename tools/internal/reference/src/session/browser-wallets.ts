import type { SolanaStandardWallet } from '@farebox/auth'
import type { SolanaStandardPayer } from '@farebox/auth/solana'
import type { Wallet } from './wallet.js'

/** A wallet that the browser has, not yet connected. */
export type BrowserWallet = {
  readonly id: string
  readonly name: string
  readonly connect: () => Promise<Wallet>
}

type Found = (wallet: BrowserWallet) => void

/**
 * Tells of each wallet that announces itself to the page, now or later: EVM wallets by EIP-6963,
 * Solana wallets by the wallet standard. Returns a function that ends this.
 *
 * @see https://eips.ethereum.org/EIPS/eip-6963
 * @see https://github.com/wallet-standard/wallet-standard
 */
export function walletsOfBrowser(found: Found): () => void {
  const evm = (event: Event) => found(evmWallet((event as CustomEvent<Announced>).detail))
  const register = {
    register: (...wallets: readonly StandardWallet[]) =>
      wallets.filter(isSolana).map(solanaWallet).forEach(found),
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
type Announced = {
  readonly info: { readonly uuid: string; readonly name: string }
  readonly provider: Provider
}

function evmWallet({ info: { uuid, name }, provider }: Announced): BrowserWallet {
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

function solanaWallet(wallet: StandardWallet): BrowserWallet {
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
