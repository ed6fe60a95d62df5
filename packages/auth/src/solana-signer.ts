import { AuthError } from './auth-error.js'
import { base64Of } from './base64-of.js'
import type { WalletSigner } from './signer.js'

/** A wallet of the Solana wallet adapter, and what browser wallets inject. */
export type SolanaWalletAdapter = {
  readonly publicKey: { toBase58(): string } | null
  signMessage(message: Uint8Array): Promise<Uint8Array | { readonly signature: Uint8Array }>
}

/** A wallet of the wallet standard that has the feature `solana:signMessage`. */
export type SolanaStandardWallet = {
  readonly accounts: readonly { readonly address: string }[]
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
 * A signer for a Solana wallet: a wallet adapter, a wallet of the wallet standard (its first account), or a signer of @solana/kit. The shape
 * alone is looked at. Only a signature over the very bytes of the message will do: a hardware wallet that signs an envelope around them is
 * an AuthError `signing_failed`. Throws an AuthError `invalid_signer` for anything else.
 */
export function solanaSigner(source: SolanaSource): WalletSigner {
  const { address, sign } = wayOf(source)
  return Object.freeze<WalletSigner>({
    kind: 'solana',
    address,
    sign: async (message) => toBase64(await sign(new TextEncoder().encode(message))),
  })
}

type Way = { readonly address: string; readonly sign: (message: Uint8Array) => Promise<unknown> }

function wayOf(source: SolanaSource): Way {
  if ('signMessages' in source) return kit(source)
  if ('features' in source && 'solana:signMessage' in source.features && source.accounts[0]) return standard(source, source.accounts[0])
  if ('signMessage' in source && source.publicKey) return adapter(source, source.publicKey.toBase58())
  throw new AuthError(
    'invalid_signer',
    'solanaSigner: expected a connected wallet adapter, a wallet with solana:signMessage and an account, or a signer of @solana/kit',
  )
}

function adapter(wallet: SolanaWalletAdapter, address: string): Way {
  const sign = async (message: Uint8Array) => {
    const answer = await wallet.signMessage(message)
    return 'signature' in answer ? answer.signature : answer
  }
  return { address, sign }
}

function standard({ features }: SolanaStandardWallet, account: { readonly address: string }): Way {
  const sign = async (message: Uint8Array) => {
    const [answer] = await features['solana:signMessage'].signMessage({ account: account as never, message })
    if (!answer || base64Of(answer.signedMessage) !== base64Of(message)) {
      throw new AuthError('signing_failed', 'solanaSigner: the wallet signed other bytes than the message, as hardware wallets do')
    }
    return answer.signature
  }
  return { address: account.address, sign }
}

function kit(signer: SolanaKitSigner): Way {
  const sign = async (content: Uint8Array) => {
    const [signatures] = await signer.signMessages([{ content, signatures: {} } as never])
    return (signatures as Readonly<Record<string, unknown>> | undefined)?.[signer.address]
  }
  return { address: signer.address, sign }
}

/** Base64, which the service takes as well as base58, and which costs no code. */
function toBase64(signature: unknown): string {
  if (!(signature instanceof Uint8Array) || signature.length !== 64) {
    throw new AuthError('signing_failed', 'solanaSigner: the wallet answered with something that is not a signature of 64 bytes')
  }
  return base64Of(signature)
}
