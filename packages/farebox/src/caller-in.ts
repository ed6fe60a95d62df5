import { callerOf } from '@farebox/retry'
import { misconfigured } from './misconfigured.js'
import type { Settings } from './options.js'

/**
 * Who sends, as a name without the credential. SDK objects of one process with the same origin,
 * credential and `fetch` have the same name, so they share rate limits and the failure budget.
 */
export function callerIn({ baseUrl, apiKey, wallet, fetch, paceStore }: Settings): string {
  const { origin } = new URL(baseUrl)
  if (typeof apiKey === 'function') {
    if (paceStore) {
      throw misconfigured(
        'paceStore is given with an apiKey that is a function, which other processes cannot compare. Give a text, or pace and guard with caller and store.',
      )
    }
    return `${origin} ${numberOf(apiKey)}`
  }
  // the case of the letters in an EVM address is a checksum
  const address = wallet?.kind === 'evm' ? wallet.address.toLowerCase() : wallet?.address
  const name = callerOf(origin, address ?? apiKey ?? '')
  // a fetch of one's own may lead to another service, such as that of a test
  return fetch && !paceStore ? `${name} ${numberOf(fetch)}` : name
}

const numbers = new WeakMap<object, number>()
let last = 0

function numberOf(value: object): number {
  const number = numbers.get(value) ?? ++last
  numbers.set(value, number)
  return number
}
