import type { TypedData } from './signature.js'

/** The contract that moves tokens with a signed permit, at one address on every chain. */
export const permit2Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3'

/** The contract of x402 that may settle a permit of the scheme `upto`, for at most its amount. */
export const uptoProxyAddress = '0x4020A4f3b7b90ccA423B9fabCc0CE57C6C240002'

/** A Permit2 authorization of the scheme `upto` in x402's format: integers are decimal strings. */
export type Permit2Authorization = {
  readonly from: string
  readonly permitted: {
    readonly token: string
    /** Atomic units of the token: the maximum. */
    readonly amount: string
  }
  /** The contract that may settle the permit. */
  readonly spender: string
  readonly nonce: string
  /** Unix seconds. */
  readonly deadline: string
  readonly witness: {
    /** The payee. */
    readonly to: string
    /** The only account that may settle the permit. */
    readonly facilitator: string
    /** Unix seconds. */
    readonly validAfter: string
  }
}

/**
 * The typed data of a Permit2 transfer with the witness of `upto`.
 * @see https://github.com/Uniswap/permit2 `permitWitnessTransferFrom`
 */
export function createPermitTypedData(
  chainId: number,
  { permitted, spender, nonce, deadline, witness }: Permit2Authorization,
): TypedData {
  return {
    domain: { name: 'Permit2', chainId, verifyingContract: permit2Address },
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      PermitWitnessTransferFrom: [
        { name: 'permitted', type: 'TokenPermissions' },
        { name: 'spender', type: 'address' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
        { name: 'witness', type: 'Witness' },
      ],
      TokenPermissions: [
        { name: 'token', type: 'address' },
        { name: 'amount', type: 'uint256' },
      ],
      Witness: [
        { name: 'to', type: 'address' },
        { name: 'facilitator', type: 'address' },
        { name: 'validAfter', type: 'uint256' },
      ],
    },
    primaryType: 'PermitWitnessTransferFrom',
    message: { permitted, spender, nonce, deadline, witness },
  }
}
