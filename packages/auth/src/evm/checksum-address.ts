import { keccak256 } from './keccak-256.js'

type Hash = (input: Uint8Array) => Uint8Array

/**
 * The EIP-55 form of an address: a letter is upper case if the nibble of the hash at its index is 8
 * or more. Code that loads @noble/hashes anyway should pass its faster keccak-256.
 */
export function checksumAddress(address: string, keccak: Hash = keccak256): string {
  const hex = address.slice(2).toLowerCase()
  const cached = cache.get(hex)
  if (cached) return cached
  const hash = keccak(new TextEncoder().encode(hex))
  const isUpper = (at: number) => ((hash[at >> 1] ?? 0) & (at % 2 === 0 ? 0x80 : 0x08)) > 0
  const checksum = `0x${Array.from(hex, (digit, at) => (isUpper(at) ? digit.toUpperCase() : digit)).join('')}`
  if (cache.size > 9) cache.clear()
  cache.set(hex, checksum)
  return checksum
}

/** The last few addresses: a wallet signs often, and pays the same payee. */
const cache = new Map<string, string>()

/** Whether a string is an EVM address: 0x, 40 hex digits, one case or a valid EIP-55 checksum. */
export function isAddress(text: string, keccak: Hash = keccak256): boolean {
  const digits = text.slice(2)
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return addressPattern.test(text) && (isOneCase || checksumAddress(text, keccak) === text)
}

/** Whether a string is an EVM address in EIP-55 form, which EIP-4361 requires. */
export function isChecksumAddress(text: string, keccak: Hash = keccak256): boolean {
  return addressPattern.test(text) && checksumAddress(text, keccak) === text
}

const addressPattern = /^0x[\da-fA-F]{40}$/
