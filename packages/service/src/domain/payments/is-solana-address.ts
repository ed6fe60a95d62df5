import { base58 } from '@scure/base'

/** Whether a text is base58 of 32 bytes: an address or a blockhash. */
export function isSolanaAddress(text: string): boolean {
  return /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) && base58.decode(text).length === 32
}
