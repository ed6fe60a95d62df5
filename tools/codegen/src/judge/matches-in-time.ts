import { createContext, Script } from 'node:vm'

/** Thrown of a pattern that is not done with a text in time. */
export class SlowPattern extends Error {
  override readonly name = 'SlowPattern'
  readonly pattern: string

  constructor(pattern: string) {
    super(`The pattern ${JSON.stringify(pattern)} is not done in ${patternTime} ms.`)
    this.pattern = pattern
  }
}

/** How long a pattern may take on one text, in milliseconds. What is well written takes a thousandth of one. */
export const patternTime = 1000

/**
 * Tells whether a pattern matches somewhere in a text. A document can bring a pattern that tries more ways than the universe has seconds;
 * the engine stops only what runs as a script of its own. A pattern that was not done once is not asked again, and counts as matching.
 *
 * @throws {SlowPattern} the first time
 */
export function matchesInTime(): (pattern: string, text: string) => boolean {
  const slow = new Set<string>()
  return (pattern, text) => {
    if (slow.has(pattern)) return true
    if (!maySquander.test(pattern) && text.length <= shortText) return new RegExp(pattern, 'u').test(text)
    Object.assign(given, { pattern, text })
    try {
      return script.runInContext(given, { timeout: patternTime }) === true
    } catch (error) {
      // it may come from another realm, whose Error is not this one
      if ((error as { readonly code?: unknown } | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      slow.add(pattern)
      throw new SlowPattern(pattern)
    }
  }
}

/** Only a group that repeats can take time that doubles with each character; a script of its own costs two hundred times as much. */
const maySquander = /\)[*+{]/
const shortText = 100

const given = createContext({ pattern: '', text: '' })
const script = new Script(`new RegExp(pattern, 'u').test(text)`)
