import { createContext, Script } from 'node:vm'
import * as tests from '../formats/format-tests.js'
import { isHostname, isIdnHostname } from '../formats/host-names.js'
import type { Json, Schema } from '../ir/schema.js'
import { accepts } from './accepts.js'

/**
 * Whether a schema accepts a value, with formats asserted as in the validators. `lookup` finds the
 * schema that a reference names. Rejects a value on which a pattern exceeds its time limit.
 */
export function admits(schema: Schema, value: Json, lookup: (name: string) => Schema): boolean {
  try {
    return accepts(schema, value, { lookup, isFormat, matches: createTimedMatcher() })
  } catch (error) {
    if (error instanceof SlowPattern) return false
    throw error
  }
}

const texts: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date', tests.isDate],
  ['date-time', tests.isDateTime],
  ['time', tests.isTime],
  ['duration', tests.isDuration],
  ['email', tests.isEmail],
  ['idn-email', tests.isIdnEmail],
  ['hostname', isHostname],
  ['idn-hostname', isIdnHostname],
  ['ipv4', tests.isIpv4],
  ['ipv6', tests.isIpv6],
  ['uuid', tests.isUuid],
  ['uri', tests.isUri],
  ['url', tests.isUri],
  ['uri-reference', tests.isUriReference],
  ['iri', tests.isIri],
  ['iri-reference', tests.isIriReference],
  ['uri-template', tests.isUriTemplate],
  ['json-pointer', tests.isJsonPointer],
  ['relative-json-pointer', tests.isRelativeJsonPointer],
  ['regex', tests.isRegex],
  ['byte', tests.isByte],
])

const numbers: ReadonlyMap<string, (value: number) => boolean> = new Map([
  ['int32', tests.isInt32],
  ['int64', tests.isInt64],
])

/** Whether a value has a format. An unknown format is an annotation, so every value has it. */
export function isFormat(format: string, value: string | number): boolean {
  return typeof value === 'string'
    ? (texts.get(format)?.(value) ?? true)
    : (numbers.get(format)?.(value) ?? true)
}

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
export function createTimedMatcher(): (pattern: string, text: string) => boolean {
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
