import type { WalletSigner } from '@farebox/auth'
import { generatePrivateKey } from '@farebox/auth/keys'
import { base58 } from '@scure/base'
import { createSigner } from '../signer.js'

export type Chain = WalletSigner['kind']

export const chains = ['evm', 'solana'] as const satisfies readonly Chain[]

/** A wallet with its secret, in the form that the settings and other wallets take. */
export type NewWallet = { readonly privateKey: string; readonly signer: WalletSigner }

/**
 * Makes a wallet from the random bytes of the system. A key of Solana has 64 bytes, as its wallets
 * export and import them: the secret and the public key.
 */
export function newWallet(chain: Chain): NewWallet {
  if (chain === 'evm') return withSigner(generatePrivateKey())
  const secret = crypto.getRandomValues(new Uint8Array(32))
  const { address } = createSigner(base58.encode(secret))
  return withSigner(base58.encode(Uint8Array.of(...secret, ...base58.decode(address))))
}

function withSigner(privateKey: string): NewWallet {
  return { privateKey, signer: createSigner(privateKey) }
}
