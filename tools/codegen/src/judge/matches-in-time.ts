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

/** How long a pattern may take on one text, in milliseconds. What is well written takes a thousandth of it. */
export const patternTime = 100

/**
 * Whether a pattern matches somewhere in a text. A document can bring a pattern that tries more ways than the universe has seconds;
 * the engine stops only what runs as a script of its own.
 *
 * @throws {SlowPattern}
 */
export function matchesInTime(pattern: string, text: string): boolean {
  Object.assign(given, { pattern, text })
  try {
    return script.runInContext(given, { timeout: patternTime }) === true
  } catch (error) {
    // it may come from another realm, whose Error is not this one
    if ((error as { readonly code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new SlowPattern(pattern)
    throw error
  }
}

const given = createContext({ pattern: '', text: '' })
const script = new Script(`new RegExp(pattern, 'u').test(text)`)
