import { show } from '../diagnostics.js'
import { isList, isObject, readOwn, pointerTo } from '../document/json.js'
import type { Json, JsonObject } from '../document/json.js'
import type { Context, LocatedNode } from './build-context.js'

/** Readers of single keywords. A value of the wrong kind is reported and left out. */

export function readCount(
  context: Context,
  { node, pointer }: LocatedNode<JsonObject>,
  key: string,
): number | undefined {
  return readKeyword(
    context,
    node,
    pointer,
    key,
    'an integer, 0 or more',
    (value): value is number => Number.isInteger(value) && (value as number) >= 0,
  )
}

export function readNumber(
  context: Context,
  { node, pointer }: LocatedNode<JsonObject>,
  key: string,
): number | undefined {
  return readKeyword(
    context,
    node,
    pointer,
    key,
    'a number',
    (value): value is number => typeof value === 'number' && Number.isFinite(value),
  )
}

export function readString(
  context: Context,
  { node, pointer }: LocatedNode<JsonObject>,
  key: string,
): string | undefined {
  return readKeyword(
    context,
    node,
    pointer,
    key,
    'a string',
    (value): value is string => typeof value === 'string',
  )
}

export function readBoolean(
  context: Context,
  { node, pointer }: LocatedNode<JsonObject>,
  key: string,
): boolean | undefined {
  return readKeyword(
    context,
    node,
    pointer,
    key,
    'true or false',
    (value): value is boolean => typeof value === 'boolean',
  )
}

export function readList(
  context: Context,
  { node, pointer }: LocatedNode<JsonObject>,
  key: string,
): readonly Json[] | undefined {
  return readKeyword(
    context,
    node,
    pointer,
    key,
    'an array that is not empty',
    (value): value is readonly Json[] => isList(value) && value.length > 0,
  )
}

/** `required`: the names of properties, each once. */
export function readRequired(
  context: Context,
  { node, pointer }: LocatedNode<JsonObject>,
): readonly string[] {
  const value = readOwn(node, 'required')
  if (value === undefined) return []
  if (isList(value) && value.every((name) => typeof name === 'string')) return [...new Set(value)]
  context.report('FB3008', pointerTo(pointer, 'required'), show(value), 'an array of strings')
  return []
}

/** Reports a first bound above the second. */
export function checkRange(
  context: Context,
  { pointer }: LocatedNode,
  low: readonly [string, number | undefined],
  high: readonly [string, number | undefined],
): void {
  if (low[1] === undefined || high[1] === undefined || low[1] <= high[1]) return
  context.report(
    'FB3004',
    pointerTo(pointer, low[0]),
    `${low[0]} ${low[1]} with ${high[0]} ${high[1]}`,
    `${low[0]} of at most ${high[1]}`,
  )
}

/**
 * A regular expression for the u flag. Syntax that only the u flag forbids (`\@`, `[\w-.]`, an
 * unmatched brace or bracket) has one meaning elsewhere (ECMA-262, annex B.1.2), so it is rewritten in strict
 * form with a warning. If that fails, reports the code `otherwise` at the `faulty` place and
 * returns undefined.
 */
export function readPattern(
  context: Context,
  pointer: string,
  pattern: string,
  otherwise: 'FB3005' | 'FB3009',
  faulty = pointer,
): string | undefined {
  if (compiles(pattern)) return pattern
  const mended = toStrictPattern(pattern)
  if (compiles(mended)) {
    context.report('FB3006', pointer, show(pattern), show(mended))
    return mended
  }
  context.report(
    otherwise,
    faulty,
    show(pattern),
    'a pattern that `new RegExp(pattern, "u")` accepts',
  )
  return undefined
}

type NamedFound = LocatedNode & { readonly name: string }

/** The schemas of a keyword such as `properties`, by name. */
export function readSchemas(
  context: Context,
  { node, pointer }: LocatedNode<JsonObject>,
  key: string,
): readonly NamedFound[] {
  const value = readOwn(node, key)
  if (value === undefined) return []
  if (isObject(value)) {
    const found: NamedFound[] = []
    for (const name in value)
      found.push({ name, node: value[name] ?? null, pointer: pointerTo(pointer, key, name) })
    return found
  }
  context.report(
    'FB3002',
    pointerTo(pointer, key),
    show(value),
    'an object whose values are schemas',
  )
  return []
}

function readKeyword<T extends Json>(
  context: Context,
  node: JsonObject,
  pointer: string,
  key: string,
  expected: string,
  fits: (value: Json) => value is T,
): T | undefined {
  const value = readOwn(node, key)
  if (value === undefined || fits(value)) return value
  context.report('FB3002', pointerTo(pointer, key), show(value), expected)
  return undefined
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

function toStrictPattern(pattern: string): string {
  let within = false
  const parts = /\\[dswDSW]-|-(?=\\[dswDSW])|\\[\s\S]|[[\]]|\{\d+(?:,\d*)?\}|[{}]/gu
  return pattern.replaceAll(parts, (match) => {
    // a hyphen beside a class of characters is no range: `[\w-.]`
    if (match.endsWith('-') && match !== '\\-') return within ? match.replace('-', '\\-') : match
    if (match.startsWith('\\')) return toStrictEscape(match, within)
    if (match === '[' && !within) {
      within = true
      return match
    }
    if (match === ']' && within) {
      within = false
      return match
    }
    return match.length === 1 && !(match === '[' || within) ? `\\${match}` : match
  })
}

function toStrictEscape(escape: string, within: boolean): string {
  const character = escape.slice(1)
  if (/[\p{L}\p{N}^$\\.*+?()[\]{}|/]/u.test(character)) return escape
  return character === '-' && within ? escape : character
}
