import { AuthError, type PaymentSigner, type WalletSigner } from '@farebox/auth'
import { privateKeySigner, solanaKeySigner } from '@farebox/auth/keys'
import { base58 } from '@scure/base'
import { UsageError } from './errors.js'

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
      `The private key is none${why}. Expected 0x and 64 hex digits for an EVM wallet, or 32 or 64 bytes in base58 for a Solana wallet, ` +
        'in FAREBOX_PRIVATE_KEY or as privateKey of the configuration file.',
    )
  }
}
