import { keccak256 } from './keccak-256.js'

/** The EIP-55 form of an address: a letter is upper case where the nibble of the hash at its place is 8 or more. */
export function checksumAddress(address: string): string {
  const hex = address.slice(2).toLowerCase()
  const hash = keccak256(new TextEncoder().encode(hex))
  const upper = (at: number) => ((hash[at >> 1] ?? 0) & (at % 2 === 0 ? 0x80 : 0x08)) > 0
  return `0x${Array.from(hex, (digit, at) => (upper(at) ? digit.toUpperCase() : digit)).join('')}`
}

/** Whether a text is an EVM address: 0x and 40 hex digits, in one case or with the right EIP-55 checksum. */
export function isAddress(text: string): boolean {
  if (!/^0x[\da-fA-F]{40}$/.test(text)) return false
  const digits = text.slice(2)
  return digits === digits.toLowerCase() || digits === digits.toUpperCase() || checksumAddress(text) === text
}
