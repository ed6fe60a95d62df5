import { evmSigner, type Eip1193Provider } from '@farebox/auth'
import { createFarebox, type Farebox } from 'farebox'

/** Connects the wallet of the browser: `connect(window.ethereum, 'https://api.example.com/api/v1')`. */
export async function connect(ethereum: Eip1193Provider, baseUrl: string): Promise<Farebox> {
  const [address] = (await ethereum.request({ method: 'eth_requestAccounts' })) as string[]
  return createFarebox({ baseUrl, wallet: evmSigner(ethereum, address) })
}
