import type { TypedData, TypedDataField } from './signature.js'

/** A known USDC contract, with the names of its network. */
export type UsdcContract = {
  /** CAIP-2. */
  readonly network: string
  /** The name of the network in x402 version 1. */
  readonly networkV1: string
  readonly chainId: number
  readonly asset: string
  /** The contract's EIP-712 domain. A signature under another one is invalid or pays in error. */
  readonly name: string
  readonly version: string
}

/** Every USDC contract has 6 decimals: 1 USD is 1,000,000 atomic units. */
export const usdcContracts: readonly UsdcContract[] = [
  {
    network: 'eip155:8453',
    networkV1: 'base',
    chainId: 8453,
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    name: 'USD Coin',
    version: '2',
  },
  {
    network: 'eip155:84532',
    networkV1: 'base-sepolia',
    chainId: 84532,
    asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    name: 'USDC',
    version: '2',
  },
]

/**
 * The known contract of a network (CAIP-2 or version 1 name).
 *
 * @param network a CAIP-2 name, or a name of x402 version 1
 * @example
 * ```ts
 * findUsdcContract('eip155:8453')?.asset // the USDC contract on Base
 * ```
 */
export function findUsdcContract(network: string): UsdcContract | undefined {
  return usdcContracts.find(
    (contract) => contract.network === network || contract.networkV1 === network,
  )
}

/** An EIP-3009 transfer authorization in x402's format: integers are decimal strings. */
export type TransferAuthorization = {
  readonly from: string
  readonly to: string
  /** Atomic units of the asset. */
  readonly value: string
  /** Unix seconds. */
  readonly validAfter: string
  /** Unix seconds. */
  readonly validBefore: string
  /** 0x and 64 hex digits. */
  readonly nonce: string
}

/**
 * The typed data of an EIP-3009 transfer of USDC.
 * @see https://eips.ethereum.org/EIPS/eip-3009
 */
export function transferTypedData(
  contract: UsdcContract,
  authorization: TransferAuthorization,
): TypedData {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const fields = [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ]
  return createUsdcTypedData(contract, 'TransferWithAuthorization', fields, {
    from,
    to,
    value,
    validAfter,
    validBefore,
    nonce,
  })
}

/**
 * EIP-712 typed data of a USDC contract. It includes `EIP712Domain`, because some wallets sign the
 * wrong domain without it.
 */
export function createUsdcTypedData(
  { name, version, chainId, asset }: UsdcContract,
  primaryType: string,
  fields: readonly TypedDataField[],
  message: TypedData['message'],
): TypedData {
  return {
    domain: { name, version, chainId, verifyingContract: asset },
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      [primaryType]: fields,
    },
    primaryType,
    message,
  }
}
