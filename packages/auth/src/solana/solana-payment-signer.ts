import { describeThrown } from '../clean-cause.js'
import { PaymentError } from '../payment-error.js'
import type { SolanaPaymentSigner, WalletSigner } from '../signer.js'
import { checkSignedTransaction } from './check-signed-transaction.js'
import { plainTransaction, transactionWay, type SolanaPayerSource } from './transaction-way.js'
import { solanaRail, type LatestBlockhash } from './solana-rail.js'

export type SolanaPaymentSignerOptions = {
  /**
   * Called when an offer names no `recentBlockhash`. With @solana/kit: `async () => (await
   * rpc.getLatestBlockhash().send()).value.blockhash`.
   */
  readonly latestBlockhash?: LatestBlockhash
  /**
   * Creates the object that a wallet adapter signs. Default: an object with `version`, `message`,
   * `signatures` and `serialize`, which is enough for wallets of the wallet standard. Older
   * adapters need `(bytes) => VersionedTransaction.deserialize(bytes)` of @solana/web3.js.
   */
  readonly toTransaction?: (bytes: Uint8Array) => object
}

/**
 * A signer that pays on Solana, and signs in as well if its source can sign messages: a raw secret,
 * a wallet adapter, a wallet of the wallet standard (its first account), or a signer of
 * @solana/kit. The signed transaction is checked before it is sent. A secret is kept in a closure:
 * no property, inspection, JSON or error shows it. Throws an AuthError `invalid_signer`, or
 * `invalid_key` for bytes that are not a valid secret.
 */
export function solanaPaymentSigner(
  source: SolanaPayerSource,
  options: SolanaPaymentSignerOptions = {},
): WalletSigner & SolanaPaymentSigner {
  const { address, signIn, signTransaction } = transactionWay(source, options.toTransaction ?? plainTransaction)
  const sign = async (asked: Uint8Array, network: string) => {
    const transaction = await signed(address, () => signTransaction(asked, network))
    return { transaction, message: checkSignedTransaction(transaction, asked, address) }
  }
  const rail = Object.freeze(solanaRail(address, sign, options.latestBlockhash))
  return Object.freeze<WalletSigner & SolanaPaymentSigner>({ kind: 'solana', address, sign: signIn, rail })
}

async function signed(address: string, sign: () => Promise<unknown>): Promise<Uint8Array> {
  let answer: unknown
  try {
    answer = await sign()
  } catch (cause) {
    throw new PaymentError(
      'signing_failed',
      `Payment: the wallet ${address} did not sign the transaction (${describeThrown(cause)}), and nothing was sent`,
      {
        cause,
      },
    )
  }
  if (answer instanceof Uint8Array) return answer
  throw new PaymentError('signing_failed', `Payment: the wallet ${address} answered with something that is not a transaction`)
}
