import { evmSigner } from '@farebox/auth'
import { createFarebox, type Farebox } from 'farebox'

type Ethereum = { request(call: { method: string; params?: readonly string[] }): Promise<unknown> }

/**
 * Connects the wallet of the browser: `connect(window.ethereum, 'https://api.example.com/api/v1')`.
 */
export async function connect(ethereum: Ethereum, baseUrl: string): Promise<Farebox> {
  const [address] = (await ethereum.request({ method: 'eth_requestAccounts' })) as string[]
  return createFarebox({ baseUrl, wallet: evmSigner(ethereum, address) })
}
