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

/** The known contract of a network (CAIP-2 or version 1 name). */
export function usdcOn(network: string): UsdcContract | undefined {
  return usdcContracts.find((contract) => contract.network === network || contract.networkV1 === network)
}
