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

/** The rate in bytes (FIPS 202). Ethereum kept the padding of the original Keccak. */
const rate = 136

/**
 * Keccak-256 in a few hundred bytes, for the checksum of an address in a client. It is slow and
 * must not hash secrets. Signatures use @noble/hashes.
 */
export function keccak256(input: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.floor(input.length / rate + 1) * rate)
  const view = new DataView(padded.buffer)
  padded.set(input)
  padded[input.length] = 0x01
  view.setUint8(padded.length - 1, view.getUint8(padded.length - 1) | 0x80)
  let state = new BigUint64Array(25)
  for (let block = 0; block < padded.length; block += rate) {
    state = permute(
      state.map((lane, at) =>
        at < rate / 8 ? lane ^ view.getBigUint64(block + at * 8, true) : lane,
      ),
    )
  }
  state.slice(0, 4).forEach((lane, at) => view.setBigUint64(at * 8, lane, true))
  return padded.slice(0, 32)
}

/**
 * Keccak-f[1600]. Rotations and round constants are computed from their definitions instead of
 * tables. A BigUint64Array truncates its values to 64 bits.
 */
function permute(input: BigUint64Array<ArrayBuffer>): BigUint64Array<ArrayBuffer> {
  let lanes = input
  const lane = (at: number) => lanes[at % 25] ?? 0n
  for (let round = 0, feedback = 1; round < 24; round++) {
    // theta
    const columns = lanes.map(
      (_, x) => lane(x) ^ lane(x + 5) ^ lane(x + 10) ^ lane(x + 15) ^ lane(x + 20),
    )
    const column = (x: number) => columns[x % 5] ?? 0n
    lanes = lanes.map((value, at) => value ^ column(at + 4) ^ rotate(column(at + 1), 1))
    // rho and pi
    let [x, y, current] = [1, 0, lane(1)]
    for (let step = 1; step <= 24; step++) {
      ;[x, y] = [y, (2 * x + 3 * y) % 5]
      const next = lane(x + 5 * y)
      lanes[x + 5 * y] = rotate(current, ((step * (step + 1)) / 2) % 64)
      current = next
    }
    // chi
    lanes = lanes.map((value, at) => {
      const row = at - (at % 5)
      return value ^ (~lane(row + ((at + 1) % 5)) & lane(row + ((at + 2) % 5)))
    })
    // iota: one bit of a linear feedback register at each place of 2 ** bit - 1
    for (let bit = 0; bit < 7; bit++) {
      if (feedback & 1) lanes[0] = lane(0) ^ (1n << BigInt(2 ** bit - 1))
      feedback = (feedback << 1) ^ (feedback & 0x80 ? 0x171 : 0)
    }
  }
  return lanes
}

/** The result may have more than 64 bits; the lane truncates it. */
function rotate(lane: bigint, by: number): bigint {
  return (lane << BigInt(by)) | (lane >> BigInt(64 - by))
}
