import { code, join, namespace, type Code } from '../../emit/code.js'
import { literal } from '../../emit/literal.js'
import { camelCase, uniqueNames } from '../../ir/names.js'
import type { Schema } from '../../ir/schema.js'

export type CheckContext = {
  /** Formats are annotations and are not checked. */
  readonly annotate: boolean
  readonly helpers: Helpers
  /** The validator of a named schema. */
  readonly named: (name: string) => Code
  readonly lookup: (name: string) => Schema
  readonly compile: Compile
}

/** Prints the code of a schema. Part of the context because objects and arrays contain schemas. */
export type Compile = {
  /** True if the schema accepts the value, or if its faults are noted. */
  readonly expression: (schema: Schema, target: Target, context: CheckContext, hint: string) => Code
  /** A function of a value and its faults. */
  readonly validate: (schema: Schema, context: CheckContext, hint: string) => Code
  /** Validates what a schema and its parts have not evaluated. */
  readonly rest: (
    base: Schema,
    rest: { readonly properties?: Schema | undefined; readonly items?: Schema | undefined },
    target: Target,
    context: CheckContext,
    hint: string,
  ) => Code
}

/** The value that an expression looks at, and where its faults are noted. */
export type Target = {
  readonly value: Code
  /** The faults of what the value is in. Undefined: only the verdict counts. */
  readonly faults: Code | undefined
  /** The key of the value in that. */
  readonly key?: Code
}

export const self: Target = { value: code`v`, faults: code`c` }

export function printFaults({ faults, key }: Target): Code | undefined {
  return faults === undefined || key === undefined
    ? faults
    : code`${rules}.enter(${faults}, ${key})`
}

export function printTest(test: Code, target: Target, keyword: string, expected: string): Code {
  const { value, faults, key } = target
  if (faults === undefined) return code`(${test})`
  const place = key === undefined ? '' : code`, ${key}`
  const fault = code`${rules}.report(${faults}, ${value}, ${literal(keyword)}, ${literal(expected)}${place})`
  return test.text === 'false' ? fault : code`(${test} || ${fault})`
}

/** The rest applies to values of the type only. */
export function printGuarded(
  test: Code,
  rest: readonly Code[],
  target: Target,
  expected: string,
): Code {
  const stated = rest.filter(({ text }) => text !== 'true')
  if (stated.length === 0) return printTest(test, target, 'type', expected)
  const { value, faults, key } = target
  if (faults === undefined) return code`(${test} && ${joinTests(stated)})`
  const place = key === undefined ? '' : code`, ${key}`
  return code`(${test} ? ${joinTests(stated)} : ${rules}.report(${faults}, ${value}, 'type', ${literal(expected)}${place}))`
}

export function joinTests(parts: readonly Code[]): Code {
  const stated = parts.filter(({ text }) => text !== 'true')
  const [only] = stated
  if (only === undefined) return code`true`
  if (stated.length === 1) return only
  return stated.length < 4 ? code`(${join(stated, ' && ')})` : code`(${join(stated, ' &&\n  ')})`
}

/** JSON Schema's patterns match anywhere and are Unicode patterns. */
export function declarePattern(pattern: string, helpers: Helpers, hint: string): Code {
  return helpers.constant(`${hint} pattern`, code`new RegExp(${literal(pattern)}, 'u')`)
}

/** The runtime of validators. */
export const rules = namespace('rules', './rules.js')

/** Functions and constants that the validators of a file share, each written once. */
type Helpers = {
  /**
   * A function with this body, of a value `v` and of faults `c`.
   */
  readonly validate: (hint: string, body: Code) => Code
  /** A function with this body, of a value `v`. Each key is printed once; `body` may refer to its own key. */
  readonly evaluate: (hint: string, key: string, body: () => Code) => Code
  /** A constant with this value, which a bundler may drop. */
  readonly constant: (hint: string, value: Code) => Code
  readonly declarations: () => readonly Code[]
}

/** `taken` are the names of the file that have meanings of their own. */
export function createHelpers(taken: Iterable<string>): Helpers {
  const unique = uniqueNames(taken)
  const known = new Map<string, Code>()
  const declarations: Code[] = []
  const share = (hint: string, kind: string, body: Code, declare: (name: string) => Code): Code => {
    const found = known.get(`${kind}\n${body.text}`)
    if (found !== undefined) return found
    const name = unique(`_${camelCase(hint).slice(0, 40)}`)
    declarations.push(declare(name))
    known.set(`${kind}\n${body.text}`, code`${name}`)
    return code`${name}`
  }
  return {
    validate: (hint, body) => share(hint, 'validate', body, (name) => printValidator(name, body)),
    evaluate: (hint, key, body) => {
      const found = known.get(`evaluate\n${key}`)
      if (found !== undefined) return found
      const name = unique(`_${camelCase(hint).slice(0, 40)}`)
      known.set(`evaluate\n${key}`, code`${name}`)
      const declared = code`function ${name}(v: unknown): Iterable<string | number> {\n  ${body()}\n}`
      declarations.push(declared)
      return code`${name}`
    },
    constant: (hint, value) =>
      share(hint, 'constant', value, (name) => code`const ${name} = /* @__PURE__ */ ${value}`),
    declarations: () => declarations,
  }
}

/** The function of a validator. Names of parameters that its body does not use begin with `_`. */
export function printValidator(name: string, body: Code): Code {
  const bare = body.text.replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, '')
  const parameter = (one: string): string =>
    new RegExp(`\\b${one}\\b`).test(bare) ? one : `_${one}`
  return code`function ${name}(${parameter('v')}: any, ${parameter('c')}?: ${rules}.Faults): boolean {\n  ${body}\n}`
}
