import { base58 } from '@scure/base'

/** Whether a value is base58 of 32 bytes: an address, or the hash of a block. */
export function isSolanaAddress(value: unknown): value is string {
  if (typeof value !== 'string' || !/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(value)) return false
  return base58.decode(value).length === 32
}
