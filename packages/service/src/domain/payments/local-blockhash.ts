import { base58 } from '@scure/base'

const mark = new TextEncoder().encode('farebox local block hash')

/**
 * Stands for a blockhash in offers without a chain: a mark and the time, so that every process
 * knows its age.
 */
export function localBlockhash(now: number): string {
  const bytes = new Uint8Array(32)
  bytes.set(mark)
  new DataView(bytes.buffer).setBigUint64(mark.length, BigInt(Math.floor(now)))
  return base58.encode(bytes)
}

/** In milliseconds. Undefined for other hashes. */
export function localBlockhashAge(blockhash: string, now: number): number | undefined {
  const bytes = base58.decode(blockhash)
  if (bytes.length !== 32 || mark.some((byte, at) => bytes[at] !== byte)) return undefined
  return now - Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(mark.length))
}
