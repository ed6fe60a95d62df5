import { createContext, Script } from 'node:vm'

/** A pattern exceeded its time limit on a string. */
export class SlowPattern extends Error {
  override readonly name = 'SlowPattern'
  readonly pattern: string

  constructor(pattern: string) {
    super(`The pattern ${JSON.stringify(pattern)} is not done in ${patternTime} ms.`)
    this.pattern = pattern
  }
}

/** Time limit of a pattern on a string, in milliseconds. A normal pattern takes about 0.001 ms. */
export const patternTime = 1000

/**
 * Whether a pattern matches somewhere in a string. A document can contain a pattern that backtracks
 * exponentially, and the engine can stop only a script. A pattern that exceeded its time limit is
 * not run again and counts as matching.
 *
 * @throws {SlowPattern} the first time
 */
export function matchesInTime(): (pattern: string, text: string) => boolean {
  const slow = new Set<string>()
  return (pattern, text) => {
    if (slow.has(pattern)) return true
    if (!maySquander.test(pattern) && text.length <= shortText)
      return new RegExp(pattern, 'u').test(text)
    Object.assign(sandbox, { pattern, text })
    try {
      return script.runInContext(sandbox, { timeout: patternTime }) === true
    } catch (error) {
      // the error may come from another realm, so `instanceof` does not work
      if ((error as { readonly code?: unknown } | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT')
        throw error
      slow.add(pattern)
      throw new SlowPattern(pattern)
    }
  }
}

/** Only a repeated group can take exponential time. A separate script costs 200 times as much. */
const maySquander = /\)[*+{]/
const shortText = 100

const sandbox = createContext({ pattern: '', text: '' })
const script = new Script(`new RegExp(pattern, 'u').test(text)`)
