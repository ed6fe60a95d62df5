import { base58, base64 } from '@scure/base'
import { AuthError } from '../errors.js'
import { solanaKeySigner } from '../keys.js'
import { solanaSigner, type SolanaSource } from '../signers/solana-signer.js'
import { encodeTransaction, readSolanaTransaction } from './transaction.js'
import { createEd25519Signer, verifyEd25519 } from '../native/ed25519.js'
import { isSolanaAddress } from './address.js'

/** A wallet adapter that signs transactions, or the object that a browser wallet injects. */
export type SolanaAdapterPayer = {
  readonly publicKey: { toBase58(): string } | null
  // method syntax: its parameters are checked bivariantly, so the adapter's stricter type fits
  signTransaction(transaction: never): Promise<{ serialize(): Uint8Array }>
}

/** A wallet of the wallet standard that has the feature `solana:signTransaction`. */
export type SolanaStandardPayer = {
  readonly accounts: readonly { readonly address: string }[]
  readonly features: {
    readonly 'solana:signTransaction': {
      signTransaction(input: never): Promise<readonly { readonly signedTransaction: Uint8Array }[]>
    }
  }
}

/**
 * A transaction signer of @solana/kit: partial, such as a key pair, or modifying, such as a wallet.
 */
export type SolanaKitPayer =
  | {
      readonly address: string
      signTransactions(transactions: readonly never[]): Promise<readonly object[]>
    }
  | {
      readonly address: string
      modifyAndSignTransactions(transactions: readonly never[]): Promise<readonly object[]>
    }

/** A secret (a seed of 32 bytes, or 64 with the public key), or a wallet that signs. */
export type SolanaPayerSource =
  | Uint8Array
  | SolanaAdapterPayer
  | SolanaStandardPayer
  | SolanaKitPayer

/**
 * One interface for all kinds of sources: how they sign in, and how they sign a transaction.
 */
type PayerAdapter = {
  readonly address: string
  readonly signIn: (message: string) => Promise<string>
  readonly signTransaction: (message: Uint8Array, network: string) => Promise<unknown>
}

/** Selects the adapter of a source by its shape. */
export function adaptPayer(
  source: SolanaPayerSource,
  toTransaction: (bytes: Uint8Array) => object,
): PayerAdapter {
  if (source instanceof Uint8Array) return adaptSecret(source)
  const signer =
    adaptKitSigner(source) ??
    adaptStandardWallet(source) ??
    adaptWalletAdapter(source, toTransaction)
  if (signer && isSolanaAddress(signer.address)) return signer
  throw new AuthError(
    'invalid_signer',
    'solanaPaymentSigner: expected a secret, a connected wallet adapter with signTransaction, a wallet with the feature ' +
      'solana:signTransaction and an account, or a transaction signer of @solana/kit',
  )
}

function adaptSecret(bytes: Uint8Array): PayerAdapter {
  const signer = solanaKeySigner(bytes)
  const sign = createEd25519Signer(bytes.slice(0, 32))
  return {
    address: signer.address,
    signIn: (message) => signer.sign(message),
    signTransaction: async (message) =>
      encodeTransaction([createEmptySignature(), await sign(message)], message),
  }
}

function adaptWalletAdapter(
  source: object,
  toTransaction: (bytes: Uint8Array) => object,
): PayerAdapter | undefined {
  if (!('signTransaction' in source && 'publicKey' in source)) return undefined
  const wallet = source as SolanaAdapterPayer
  if (!wallet.publicKey) return undefined
  const address = wallet.publicKey.toBase58()
  return {
    address,
    signIn: createSignIn(source, address, 'signMessage' in source),
    signTransaction: async (message) =>
      (
        await wallet.signTransaction(toTransaction(encodeUnsignedTransaction(message)) as never)
      ).serialize(),
  }
}

function adaptStandardWallet(source: object): PayerAdapter | undefined {
  if (!('features' in source && 'accounts' in source)) return undefined
  const { accounts, features } = source as SolanaStandardPayer
  const [account] = accounts
  if (!account || !('solana:signTransaction' in features)) return undefined
  return {
    address: account.address,
    signIn: createSignIn(source, account.address, 'solana:signMessage' in features),
    signTransaction: async (message, network) => {
      const chain =
        network === 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' ? 'solana:mainnet' : 'solana:devnet'
      const input = { account, chain, transaction: encodeUnsignedTransaction(message) }
      const [result] = await features['solana:signTransaction'].signTransaction(input as never)
      return result?.signedTransaction
    },
  }
}

function adaptKitSigner(source: object): PayerAdapter | undefined {
  if (!('address' in source) || typeof source.address !== 'string') return undefined
  const { address } = source
  const signIn = createSignIn(source, address, 'signMessages' in source)
  if ('modifyAndSignTransactions' in source) {
    const signer = source as Extract<SolanaKitPayer, { modifyAndSignTransactions: unknown }>
    const signTransaction = async (messageBytes: Uint8Array) => {
      const [result] = await signer.modifyAndSignTransactions([
        toKitTransaction(messageBytes) as never,
      ])
      const { messageBytes: message, signatures } = result as KitTransaction
      return encodeTransaction(
        [createEmptySignature(), signatures[address] ?? createEmptySignature()],
        message,
      )
    }
    return { address, signIn, signTransaction }
  }
  if (!('signTransactions' in source)) return undefined
  const signer = source as Extract<SolanaKitPayer, { signTransactions: unknown }>
  const signTransaction = async (messageBytes: Uint8Array) => {
    const [signatures] = await signer.signTransactions([toKitTransaction(messageBytes) as never])
    return encodeTransaction(
      [
        createEmptySignature(),
        (signatures as Readonly<Record<string, Uint8Array>> | undefined)?.[address] ??
          createEmptySignature(),
      ],
      messageBytes,
    )
  }
  return { address, signIn, signTransaction }
}

/** A transaction of @solana/kit. */
type KitTransaction = {
  readonly messageBytes: Uint8Array
  readonly signatures: Readonly<Record<string, Uint8Array | null>>
}

function toKitTransaction(messageBytes: Uint8Array): KitTransaction {
  const signers =
    readSolanaTransaction(base64.encode(encodeUnsignedTransaction(messageBytes)))?.accounts.filter(
      ({ signer }) => signer,
    ) ?? []
  return {
    messageBytes,
    signatures: Object.fromEntries(signers.map(({ address }) => [address, null])),
  }
}

/** The fields that wallets of the wallet standard, and their adapters, read. */
export function toPlainTransaction(bytes: Uint8Array): object {
  return {
    version: 0,
    signatures: [createEmptySignature(), createEmptySignature()],
    message: { version: 0 },
    serialize: () => bytes,
  }
}

/** A transaction without the signatures of the fee payer and the payer. */
function encodeUnsignedTransaction(message: Uint8Array): Uint8Array {
  return encodeTransaction([createEmptySignature(), createEmptySignature()], message)
}

function createEmptySignature(): Uint8Array {
  return new Uint8Array(64)
}

function createSignIn(
  source: object,
  address: string,
  canSignMessages: boolean,
): (message: string) => Promise<string> {
  if (canSignMessages) {
    return async (message) => {
      const signature = await solanaSigner(source as SolanaSource).sign(message)
      if (
        verifyEd25519(
          base64.decode(signature),
          new TextEncoder().encode(message),
          base58.decode(address),
        )
      )
        return signature
      throw new AuthError(
        'signing_failed',
        'solanaPaymentSigner: the signature does not cover the message, as when a hardware wallet signs an envelope; use a software wallet',
      )
    }
  }
  return async () => {
    throw new AuthError(
      'signing_failed',
      'solanaPaymentSigner: this wallet signs only transactions, so it can pay, but not sign in',
    )
  }
}
