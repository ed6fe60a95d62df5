/** Numbers that readers multiply, allocate and seek by. */
const numbers = [0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff]

/**
 * Damages bytes as chance says, alike for the same seed: flipped bits, large numbers, parts that
 * are lost, doubled or moved.
 */
export function mutateBytes(bytes: Uint8Array, seed: number): Uint8Array<ArrayBuffer> {
  const random = createRandom(seed)
  const below = (end: number) => Math.floor(random() * end)
  let result = Uint8Array.from(bytes)
  for (let count = 1 + below(6); count > 0; count--) {
    const at = below(result.length)
    const end = Math.min(result.length, at + below(64))
    const kind = below(5)
    if (kind === 0) result[at] = (result[at] ?? 0) ^ (1 << below(8))
    else if (kind === 1 && at + 4 <= result.length)
      new DataView(result.buffer).setUint32(at, numbers[below(8)] ?? 0, random() < 0.5)
    else if (kind === 2) result = joinBytes(result.subarray(0, at), result.subarray(end))
    else if (kind === 3) result = joinBytes(result.subarray(0, end), result.subarray(at))
    else if (random() < 0.2) result = result.slice(0, Math.max(1, at))
  }
  return result
}

function joinBytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.concat(parts))
}

/** mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
