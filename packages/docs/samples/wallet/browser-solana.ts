import { solanaSigner, type SolanaWalletAdapter } from '@farebox/auth'
import { createFarebox, type Farebox } from 'farebox'

/** `adapter` is a connected wallet of the wallet adapter, or what a browser wallet injects. */
export function connect(adapter: SolanaWalletAdapter, baseUrl: string): Farebox {
  return createFarebox({ baseUrl, wallet: solanaSigner(adapter) })
}
