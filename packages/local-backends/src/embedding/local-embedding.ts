import { setImmediate } from 'node:timers/promises'
import { LocalBackendError } from '../local-backend-error.js'

export type LocalEmbedding = {
  /**
   * One vector of length 1 for each text, in their order. Texts with common words are closer.
   * Rejects with a LocalBackendError when the signal aborts.
   */
  readonly embed: (
    texts: readonly string[],
    options: { readonly dimensions?: number | undefined; readonly signal: AbortSignal },
  ) => Promise<readonly Float32Array[]>
}

/** The length of the vectors if a request does not state it. */
const defaultDimensions = 256
/** Each word changes so many numbers of a vector. */
const spread = 12
/** The event loop gets a turn after this many characters. */
const turnCharacters = 50_000

/**
 * An embedding model for tests. A vector is the sum of pseudorandom directions, one for each word
 * and, with less weight, for each three letters in a row.
 */
export function createLocalEmbedding(): LocalEmbedding {
  return {
    embed: async (texts, { dimensions = defaultDimensions, signal }) => {
      const vectors: Float32Array[] = []
      let characters = 0
      for (const text of texts) {
        const sums = new Float64Array(dimensions)
        for (const word of toWords(text)) {
          add(sums, word, 1)
          for (let at = 0; at + 3 <= word.length + 2; at++)
            add(sums, ` ${word} `.slice(at, at + 3), 0.25)
          characters += word.length
          if (characters < turnCharacters) continue
          characters = 0
          await setImmediate()
          if (signal.aborted) throw new LocalBackendError('unread', 'The caller has left.')
        }
        vectors.push(normalize(sums))
      }
      return vectors
    },
  }
}

/** The words of a text. A text without words has its characters instead. */
function toWords(text: string): Iterable<string> {
  const plain = text.normalize('NFKC').toLowerCase()
  const words = plain.match(/[\p{L}\p{N}]+/gu)
  return words ?? [plain]
}

/** Adds the direction of a word. */
function add(sums: Float64Array, word: string, weight: number): void {
  let state = hash(word)
  for (let count = 0; count < spread; count++) {
    state = mix(state + 0x9e37_79b9)
    const at = (state >>> 1) % sums.length
    sums[at] = (sums[at] ?? 0) + (state & 1 ? weight : -weight)
  }
}

/** FNV-1a. */
function hash(word: string): number {
  let value = 0x811c_9dc5
  for (let at = 0; at < word.length; at++)
    value = Math.imul(value ^ word.charCodeAt(at), 0x0100_0193)
  return value >>> 0
}

/** The finalizer of MurmurHash3. */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

function normalize(sums: Float64Array): Float32Array {
  const length = Math.hypot(...sums)
  // opposite directions may cancel each other
  if (length === 0) sums[0] = 1
  return Float32Array.from(sums, (sum) => sum / (length || 1))
}
