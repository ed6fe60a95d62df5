import { AuthError, type PaymentSigner, type WalletSigner } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner, solanaKeySigner } from '@farebox/auth/keys'
import { base58 } from '@scure/base'
import { UsageError } from '../command.js'

/**
 * The wallet of a private key. The form of the key determines the chain. Throws `UsageError`, which
 * does not repeat the key.
 */
export function createSigner(privateKey: string): WalletSigner | (WalletSigner & PaymentSigner) {
  try {
    if (/^0x/i.test(privateKey)) return privateKeySigner(privateKey)
    return solanaKeySigner(base58.decode(privateKey))
  } catch (error) {
    const why = error instanceof AuthError ? '' : ' (it is not base58 either)'
    throw new UsageError(
      `The private key is not valid${why}. Expected 0x and 64 hex digits for an EVM wallet, or 32 or 64 bytes in base58 for a Solana wallet, ` +
        'in FAREBOX_PRIVATE_KEY or as privateKey of the configuration file.',
    )
  }
}

export type Chain = WalletSigner['kind']

export const chains = ['evm', 'solana'] as const satisfies readonly Chain[]

/** A wallet with its secret, in the form that the settings and other wallets take. */
export type NewWallet = { readonly privateKey: string; readonly signer: WalletSigner }

/**
 * Creates a wallet from random bytes. A Solana key has 64 bytes, the secret and the public key, as
 * Solana wallets export and import it.
 */
export function createWallet(chain: Chain): NewWallet {
  if (chain === 'evm') return withSigner(generatePrivateKey())
  const secret = crypto.getRandomValues(new Uint8Array(32))
  const { address } = createSigner(base58.encode(secret))
  return withSigner(base58.encode(Uint8Array.of(...secret, ...base58.decode(address))))
}

function withSigner(privateKey: string): NewWallet {
  return { privateKey, signer: createSigner(privateKey) }
}
