export type JsonExcess = 'nested too deep' | 'made of too many values'

export type JsonScan = {
  /** Reads the next bytes, up to the first excess. */
  readonly write: (bytes: Uint8Array) => JsonExcess | undefined
}

/** Code that reads the parsed value may be recursive. */
export const maxDepth = 64
/** The largest request without media or conversations has fewer than a hundred. */
export const maxValues = 10_000
/** For bodies whose size the contract states: conversations, tools and lists of tokens. */
export const manyValues = 1_000_000

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Counts depth and values of a JSON text before it is parsed, in one pass over its bytes.
 * Multi-byte characters of UTF-8 contain none of the counted bytes.
 */
export function createJsonScan(most = maxValues): JsonScan {
  let depth = 0
  let values = 1
  let inText = false
  let isEscaped = false
  return {
    write: (bytes) => {
      // an iterator takes half as long again
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at]
        if (inText) {
          if (isEscaped) isEscaped = false
          else if (byte === backslash) isEscaped = true
          else if (byte === quote) inText = false
        } else if (byte === quote) inText = true
        else if (byte === comma) values++
        else if (byte === openList || byte === openObject) {
          values++
          if (++depth > maxDepth) return 'nested too deep'
        } else if (byte === closeList || byte === closeObject) depth--
        if (values > most) return 'made of too many values'
      }
      return undefined
    },
  }
}
