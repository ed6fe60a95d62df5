import { AuthError } from '../errors.js'
import { encodeBase64 } from '../encoding.js'
import type { WalletSigner } from './signer.js'

/** A wallet of the Solana wallet adapter, or the object that a browser wallet injects. */
export type SolanaWalletAdapter = {
  readonly publicKey: { toBase58(): string; toBytes?(): Uint8Array } | null
  signMessage(message: Uint8Array): Promise<Uint8Array | { readonly signature: Uint8Array }>
}

/** A wallet of the wallet standard that has the feature `solana:signMessage`. */
export type SolanaStandardWallet = {
  readonly accounts: readonly { readonly address: string; readonly publicKey?: ArrayLike<number> }[]
  readonly features: {
    readonly 'solana:signMessage': {
      signMessage(input: {
        account: never
        message: Uint8Array
      }): Promise<readonly { readonly signedMessage: Uint8Array; readonly signature: Uint8Array }[]>
    }
  }
}

/** A message signer of @solana/kit. */
export type SolanaKitSigner = {
  readonly address: string
  signMessages(messages: readonly never[]): Promise<readonly object[]>
}

export type SolanaSource = SolanaWalletAdapter | SolanaStandardWallet | SolanaKitSigner

/**
 * A signer for a Solana wallet: a wallet adapter, a wallet of the wallet standard (its first
 * account), or a signer of @solana/kit. The source is recognised by its shape. The signature must
 * cover exactly the bytes of the message: a hardware wallet that signs an envelope around them
 * causes an AuthError `signing_failed`. Throws an AuthError `invalid_signer` for any other source.
 *
 * @example
 * ```ts
 * await window.solana.connect()
 * const signer = solanaSigner(window.solana)
 * ```
 */
export function solanaSigner(source: SolanaSource): WalletSigner {
  const { address, publicKey, sign } = adaptSource(source)
  return Object.freeze<WalletSigner>({
    kind: 'solana',
    address,
    sign: async (text) => {
      const message = new TextEncoder().encode(text)
      const signature = await sign(message)
      if (!(signature instanceof Uint8Array) || signature.length !== 64) {
        throw new AuthError(
          'signing_failed',
          'solanaSigner: the wallet returned no 64-byte signature',
        )
      }
      if (
        publicKey &&
        !(await isValidSignature(Uint8Array.from(signature), message, Uint8Array.from(publicKey)))
      )
        throw createWrongMessageError()
      // the service accepts base64 and base58; base64 needs less code
      return encodeBase64(signature)
    },
  })
}

type SourceAdapter = {
  readonly address: string
  /** Verifies the signature, if the wallet provides it. */
  readonly publicKey?: ArrayLike<number> | undefined
  readonly sign: (message: Uint8Array) => Promise<unknown>
}

function adaptSource(source: SolanaSource): SourceAdapter {
  if ('signMessages' in source) return adaptKitSigner(source)
  if ('features' in source && 'solana:signMessage' in source.features && source.accounts[0])
    return adaptStandardWallet(source, source.accounts[0])
  if ('signMessage' in source && source.publicKey)
    return adaptWalletAdapter(source, source.publicKey)
  throw new AuthError(
    'invalid_signer',
    'solanaSigner: expected a connected wallet adapter, a wallet with solana:signMessage, or a @solana/kit signer; for a secret use solanaKeySigner',
  )
}

function adaptWalletAdapter(
  wallet: SolanaWalletAdapter,
  key: NonNullable<SolanaWalletAdapter['publicKey']>,
): SourceAdapter {
  const sign = async (message: Uint8Array) => {
    const result = await wallet.signMessage(message)
    return 'signature' in result ? result.signature : result
  }
  return { address: key.toBase58(), publicKey: key.toBytes?.(), sign }
}

function adaptStandardWallet(
  { features }: SolanaStandardWallet,
  account: SolanaStandardWallet['accounts'][number],
): SourceAdapter {
  const sign = async (message: Uint8Array) => {
    const [result] = await features['solana:signMessage'].signMessage({
      account: account as never,
      message,
    })
    if (!result || encodeBase64(result.signedMessage) !== encodeBase64(message))
      throw createWrongMessageError()
    return result.signature
  }
  return { address: account.address, publicKey: account.publicKey, sign }
}

function adaptKitSigner(signer: SolanaKitSigner): SourceAdapter {
  const sign = async (content: Uint8Array) => {
    const [signatures] = await signer.signMessages([{ content, signatures: {} } as never])
    return (signatures as Readonly<Record<string, unknown>> | undefined)?.[signer.address]
  }
  return { address: signer.address, sign }
}

/** Whether the signature is valid. On a platform without Ed25519 the service checks it. */
async function isValidSignature(
  signature: Bytes,
  message: Bytes,
  publicKey: Bytes,
): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify'])
    return await crypto.subtle.verify('Ed25519', key, signature, message)
  } catch {
    return true
  }
}

type Bytes = Uint8Array<ArrayBuffer>

function createWrongMessageError(): AuthError {
  return new AuthError(
    'signing_failed',
    'solanaSigner: the wallet did not sign the message itself; some hardware wallets sign an envelope',
  )
}
