import { AuthError } from './auth-error.js'
import { checksumAddress, isAddress } from './evm/checksum-address.js'
import { hexOf } from './hex-of.js'
import type { EvmSigner, TypedData } from './signer.js'

/** A local account of viem, and anything of its shape. */
export type ViemAccount = {
  readonly address: string
  signMessage(parameters: { message: string }): Promise<string>
  // a method, so that viem's own stricter parameter fits
  signTypedData?(parameters: never): Promise<string>
}

/** A wallet client of viem. */
export type ViemWalletClient = {
  readonly account?: { readonly address: string } | undefined
  signMessage(parameters: never): Promise<string>
  signTypedData(parameters: never): Promise<string>
  request(...parameters: never): Promise<unknown>
}

/** What browser wallets put at `window.ethereum`: `request({ method, params })`, which libraries type method by method. */
export type Eip1193Provider = { request(parameters: never): Promise<unknown> }

/** A signer of ethers 6; one of ethers 5 can sign in, but not pay. */
export type EthersSigner = {
  readonly address?: string
  getAddress(): Promise<string>
  signMessage(message: string): Promise<string>
  signTypedData?(domain: never, types: never, value: never): Promise<string>
}

export type EvmSource = ViemAccount | ViemWalletClient | Eip1193Provider | EthersSigner

/**
 * A signer for an EVM wallet: a viem account or wallet client, an EIP-1193 provider, or an ethers signer. The shape alone is looked at;
 * no wallet library is needed. `address` says which account signs; it is required where the source does not know its own, as a provider
 * does not (ask it with `eth_requestAccounts`). Throws an AuthError `invalid_signer` for anything else.
 */
export function evmSigner(source: EvmSource, address?: string): EvmSigner {
  const shape = source as Shape
  const given = address ?? shape.account?.address ?? shape.address
  if (given === undefined) throw new AuthError('invalid_signer', 'evmSigner: the source has no address; pass one')
  if (!isAddress(given)) throw new AuthError('invalid_signer', 'evmSigner: the address is not 0x and 40 hex digits')
  const account = checksumAddress(given)
  const ways = waysOf(shape, account)
  return Object.freeze<EvmSigner>({
    kind: 'evm',
    address: account,
    sign: async (message) => signature(await ways.sign(message)),
    signTypedData: async (typedData) => signature(await ways.signTypedData(typedData)),
  })
}

type Anything = (...parameters: unknown[]) => Promise<unknown>
type Shape = {
  readonly account?: { readonly address: string }
  readonly address?: string
  readonly getAddress?: Anything
  readonly signMessage?: Anything
  readonly signTypedData?: Anything
  readonly request?: Anything
}
type Ways = { sign(message: string): Promise<unknown>; signTypedData(typedData: TypedData): Promise<unknown> }

function waysOf(source: Shape, address: string): Ways {
  if (typeof source.signMessage === 'function') {
    return typeof source.getAddress === 'function' ? ethers(source) : viem(source, address)
  }
  if (typeof source.request === 'function') return provider(source, address)
  throw new AuthError('invalid_signer', 'evmSigner: expected a viem account or wallet client, an EIP-1193 provider or an ethers signer')
}

function viem(source: Shape, address: string): Ways {
  // a wallet client signs for its own account object if it has one, and else asks the wallet for this address
  const account = typeof source.request === 'function' ? { account: source.account ?? address } : {}
  return {
    sign: async (message) => source.signMessage?.({ ...account, message }),
    signTypedData: async (typedData) => able(source.signTypedData).call(source, { ...account, ...typedData }),
  }
}

function ethers(source: Shape): Ways {
  return {
    sign: async (message) => source.signMessage?.(message),
    // ethers makes EIP712Domain itself and refuses to be given it
    signTypedData: async ({ domain, types, message }) => {
      const { EIP712Domain: _, ...rest } = types
      return able(source.signTypedData).call(source, domain, rest, message)
    },
  }
}

function provider(source: Shape, address: string): Ways {
  return {
    sign: async (message) =>
      source.request?.({ method: 'personal_sign', params: [`0x${hexOf(new TextEncoder().encode(message))}`, address] }),
    signTypedData: async (typedData) => source.request?.({ method: 'eth_signTypedData_v4', params: [address, JSON.stringify(typedData)] }),
  }
}

function able(method: Anything | undefined): Anything {
  if (typeof method !== 'function') throw new AuthError('invalid_signer', 'evmSigner: this source cannot sign typed data, so it cannot pay')
  return method
}

/** Hardware wallets end 65 bytes in 00 or 01, which contracts refuse; the usual words are 27 and 28. */
function signature(value: unknown): string {
  if (typeof value !== 'string' || !/^0x(?:[\da-fA-F]{2})+$/.test(value)) {
    throw new AuthError('signing_failed', 'evmSigner: the wallet answered with no hex signature')
  }
  return value.length === 132 ? value.replace(/00$/, '1b').replace(/01$/, '1c') : value
}
