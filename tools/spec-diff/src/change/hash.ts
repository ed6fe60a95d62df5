/** The 32-bit FNV-1a hash of a string in base 36: short, and equal on every machine. */
export function hash(text: string): string {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash.toString(36)
}
