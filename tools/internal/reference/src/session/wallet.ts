import type { PaymentSigner, WalletSigner } from '@farebox/auth'

/** A wallet that signs in, and pays if it has a payer. */
export type Wallet = {
  /** What the person chose: "Throw-away wallet", or the name that a browser wallet gives itself. */
  readonly name: string
  readonly signer: WalletSigner
  readonly payer: PaymentSigner | undefined
  /** Whether the wallet asks the person at each signature. */
  readonly asks: boolean
  /** The private key, if this page made the wallet. */
  readonly secret?: string
}

/** Makes a wallet from a key, or from a new one. The code of the curves loads when it is wanted. */
export async function throwAwayWallet(key?: string): Promise<Wallet> {
  const { generatePrivateKey, privateKeySigner } = await import('@farebox/auth/keys')
  const secret = key ?? generatePrivateKey()
  const signer = privateKeySigner(secret)
  return { name: 'Throw-away wallet', signer, payer: signer, asks: false, secret }
}
