import type { TypedData, TypedDataField } from './signer.js'
import type { UsdcContract } from './usdc.js'

/**
 * EIP-712 typed data of a USDC contract. It includes `EIP712Domain`, because some wallets sign a
 * wrong domain without it.
 */
export function usdcTypedData(
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
