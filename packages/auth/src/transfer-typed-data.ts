import type { TypedData } from './signer.js'
import type { UsdcContract } from './usdc.js'
import { usdcTypedData } from './usdc-typed-data.js'

/** An EIP-3009 transfer authorization in the form of x402: integers are decimal strings. */
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
export function transferTypedData(contract: UsdcContract, authorization: TransferAuthorization): TypedData {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const fields = [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ]
  return usdcTypedData(contract, 'TransferWithAuthorization', fields, { from, to, value, validAfter, validBefore, nonce })
}
