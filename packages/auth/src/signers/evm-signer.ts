import { AuthError } from '../errors.js'
import { checksumAddress, isAddress } from '../evm/address.js'
import { encodeHex } from '../encoding.js'
import type { TypedData } from '../evm/signature.js'
import type { EvmSigner } from './signer.js'

/** A local account of viem, or any object of its shape. */
export type ViemAccount = {
  readonly address: string
  signMessage(parameters: { message: string }): Promise<string>
  // method syntax: its parameters are checked bivariantly, so viem's stricter type fits
  signTypedData?(parameters: never): Promise<string>
}

/** A wallet client of viem. */
export type ViemWalletClient = {
  readonly account?: { readonly address: string } | undefined
  signMessage(parameters: never): Promise<string>
  signTypedData(parameters: never): Promise<string>
  request(...parameters: never): Promise<unknown>
}

/** The provider that browser wallets inject as `window.ethereum`: `request({ method, params })`. */
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
 * A signer for an EVM wallet: a viem account or wallet client, an EIP-1193 provider, or an ethers
 * signer. The source is recognised by its shape; no wallet library is needed. `address` selects the
 * account that signs. It is required for a source without an address, such as a provider (request
 * one with `eth_requestAccounts`). Throws an AuthError `invalid_signer` for any other source.
 *
 * @param source a viem account or wallet client, an EIP-1193 provider, or an ethers signer
 * @param address the account that signs; required for a source without an address
 * @example
 * ```ts
 * const [address] = await window.ethereum.request({ method: 'eth_requestAccounts' })
 * const signer = evmSigner(window.ethereum, address)
 * ```
 */
export function evmSigner(source: EvmSource, address?: string): EvmSigner {
  const shape = source as Shape
  const accountAddress = address ?? shape.account?.address ?? shape.address
  if (accountAddress === undefined)
    throw new AuthError('invalid_signer', 'evmSigner: the source has no address; pass one')
  // in JavaScript, easily the list that `eth_requestAccounts` returns
  if (typeof accountAddress !== 'string' || !isAddress(accountAddress))
    throw new AuthError(
      'invalid_signer',
      'evmSigner: the address is not a string of 0x and 40 hex digits',
    )
  const account = checksumAddress(accountAddress)
  const methods = adaptSource(shape, account)
  return Object.freeze<EvmSigner>({
    kind: 'evm',
    address: account,
    sign: async (message) => checkSignature(await methods.sign(message)),
    signTypedData: async (typedData) => checkSignature(await methods.signTypedData(typedData)),
  })
}

type AsyncMethod = (...parameters: unknown[]) => Promise<unknown>
type Shape = {
  readonly account?: { readonly address: string }
  readonly address?: string
  readonly getAddress?: AsyncMethod
  readonly signMessage?: AsyncMethod
  readonly signTypedData?: AsyncMethod
  readonly request?: AsyncMethod
}
type SigningMethods = {
  sign(message: string): Promise<unknown>
  signTypedData(typedData: TypedData): Promise<unknown>
}

function adaptSource(source: Shape, address: string): SigningMethods {
  if (typeof source.signMessage === 'function') {
    return typeof source.getAddress === 'function'
      ? adaptEthers(source)
      : adaptViem(source, address)
  }
  if (typeof source.request === 'function') return adaptProvider(source, address)
  throw new AuthError(
    'invalid_signer',
    'evmSigner: expected a viem account or wallet client, an EIP-1193 provider or an ethers signer',
  )
}

function adaptViem(source: Shape, address: string): SigningMethods {
  // a wallet client signs with its own account object, if any; otherwise the wallet signs for this
  // address
  const account = typeof source.request === 'function' ? { account: source.account ?? address } : {}
  return {
    sign: async (message) => source.signMessage?.({ ...account, message }),
    signTypedData: async (typedData) =>
      requireMethod(source.signTypedData).call(source, { ...account, ...typedData }),
  }
}

function adaptEthers(source: Shape): SigningMethods {
  return {
    sign: async (message) => source.signMessage?.(message),
    // ethers adds EIP712Domain itself and rejects it in the types
    signTypedData: async ({ domain, types, message }) => {
      const { EIP712Domain: _, ...rest } = types
      return requireMethod(source.signTypedData).call(source, domain, rest, message)
    },
  }
}

function adaptProvider(source: Shape, address: string): SigningMethods {
  return {
    sign: async (message) =>
      source.request?.({
        method: 'personal_sign',
        params: [`0x${encodeHex(new TextEncoder().encode(message))}`, address],
      }),
    signTypedData: async (typedData) =>
      source.request?.({
        method: 'eth_signTypedData_v4',
        params: [address, JSON.stringify(typedData)],
      }),
  }
}

function requireMethod(method: AsyncMethod | undefined): AsyncMethod {
  if (typeof method !== 'function')
    throw new AuthError('invalid_signer', 'evmSigner: the source cannot sign typed data')
  return method
}

/** Some hardware wallets end signatures with 00 or 01, but contracts expect 27 or 28. */
function checkSignature(value: unknown): string {
  if (typeof value !== 'string' || !/^0x(?:[\da-fA-F]{2})+$/.test(value)) {
    throw new AuthError('signing_failed', 'evmSigner: the wallet returned no hex signature')
  }
  return value.length === 132 ? value.replace(/00$/, '1b').replace(/01$/, '1c') : value
}
