import type { Api, Parameter, Response } from '../ir/api.js'
import { camelCase, uniqueNames } from '../ir/names.js'
import { code, join, nothing, type Code } from './code.js'
import { contentKind } from './content.js'

/** Prints the declaration of a constant, with its type if there is one. */
export type Declare = (name: string, value: Code, type?: Code) => Code

/**
 * Declares constants whose values are calls, in a form that a bundler can drop. A file with many
 * constants creates each in a named function: TypeScript analyzes the control flow of an
 * immediately called function, where each name costs a walk past all constants before it. `names`
 * are all constants of the file.
 */
export function createDeclare(names: readonly string[]): Declare {
  const makerName = createMakerNames(names)
  return (name, value, type) => {
    const declared = code`const ${name}${type === undefined ? '' : code`: ${type}`} = /* @__PURE__ */ `
    if (isSingleCall.test(value.text)) return code`${declared}${value}`
    if (names.length < makerThreshold)
      return code`${declared}(() => ${value.text.startsWith('{') ? code`(${value})` : value})()`
    const maker = makerName(name)
    return code`${declared}${maker}()\n\n${declareMaker(maker, value)}`
  }
}

/** A call without others within: a bundler keeps those, even if it drops the outer one. */
const isSingleCall = /^\w+\.\w+\([^()]*\)$/

/** Exports constants. `declare` may leave their declarations to `rest`, which ends the file. */
export type Constants = {
  readonly declare: (constant: Constant) => Code
  readonly rest: () => readonly Code[]
}

type Constant = {
  readonly name: string
  readonly value: Code
  readonly type?: Code
  readonly comment?: Code
}

/**
 * The same for exported constants with plain values: a few are declared directly. Many are declared
 * together, since the compiler walks past all constants before each statement that declares some.
 */
export function exportConstants(names: readonly string[]): Constants {
  const makerName = createMakerNames(names)
  const declarations: Code[] = []
  return {
    declare: ({ name, value, type, comment = nothing }) => {
      const typed = type === undefined ? name : code`${name}: ${type}`
      if (names.length < makerThreshold) return code`${comment}export const ${typed} = ${value}`
      const maker = makerName(name)
      const isFirst = declarations.length % makerThreshold === 0
      const start = isFirst ? code`${comment}export const ` : code`  ${comment}`
      declarations.push(code`${start}${typed} = /* @__PURE__ */ ${maker}()`)
      return declareMaker(maker, value, type)
    },
    rest: () =>
      Array.from({ length: Math.ceil(declarations.length / makerThreshold) }, (_, index) => {
        const start = index * makerThreshold
        return join(declarations.slice(start, start + makerThreshold), ',\n')
      }),
  }
}

function declareMaker(maker: string, value: Code, type?: Code): Code {
  return code`function ${maker}()${type === undefined ? '' : code`: ${type}`} {\n  return ${value}\n}`
}

/** The names of these functions: that of the constant with a dollar, unless it is taken. */
function createMakerNames(constants: readonly string[]): (name: string) => string {
  const unique = uniqueNames(constants)
  return (name) => unique(`$${name}`)
}

/** From here on the quadratic cost matters: a few hundredths of a second. */
const makerThreshold = 200

/** A statement of a file, and the name that it declares. */
export type Statement = {
  readonly name: string
  /** It may hold what `Sharing.mark` gave. */
  readonly value: Code
  /** Prints the whole declaration of a value. */
  readonly declare: (value: Code) => Code
}

export type Sharing = {
  /**
   * Records an expression that may be used again; the result is its placeholder. Mark a part before
   * the whole. `type` is declared with its constant. `name` names the constant; without it, the name
   * consists of words of the expression.
   */
  readonly mark: (expression: Code, type?: Code, name?: string) => Code
  /** The statements, each behind the constants that it is the first to share. */
  readonly statements: (statements: readonly Statement[], options: SharingOptions) => Iterable<Code>
}

type SharingOptions = {
  /** Prints the declaration of such a constant. Its name begins with an underscore. */
  readonly declare: (name: string, value: Code, type: Code | undefined) => Code
  /** Replacements of words in the names of expressions. An empty one drops the word. */
  readonly words?: Readonly<Record<string, string>>
  /** Names of the file that no statement has. */
  readonly taken?: readonly string[]
  /** The number of characters that a constant must save. Default: 100. */
  readonly worth?: number
}

/**
 * Expressions that a file repeats become constants of it, as far as that is less text: the compiler
 * looks at each once, and a program makes each once. Which are equal is known without comparing
 * them whole, as the parts of an expression are noted before it.
 */
export function createSharing(): Sharing {
  const known = new Map<string, number>()
  const expressions: Expression[] = []
  const mark = ({ text, imports }: Code, type?: Code, name?: string): Code => {
    const id = known.get(text) ?? expressions.length
    if (id === expressions.length) {
      known.set(text, id)
      expressions.push({ text, imports, type, name })
    }
    return { text: `${open}${id}${close}`, imports }
  }
  return {
    mark,
    statements: (statements, options) => shareExpressions(statements, expressions, options),
  }
}

type Expression = Code & { readonly type: Code | undefined; readonly name: string | undefined }

/** Control characters, which literals escape: no string of a document can look like a mark. */
const [open, close] = ['\u0001', '\u0002']
const marks = new RegExp(`${open}(\\d+)${close}`, 'g')

/** About what a constant costs each time that it is used, in letters. */
const price = 12

function* shareExpressions(
  statements: readonly Statement[],
  expressions: readonly Expression[],
  options: SharingOptions,
): Iterable<Code> {
  const { declare: declareShared, words = {}, taken = [], worth = 100 } = options
  const unique = uniqueNames([...statements.map(({ name }) => name), ...taken])
  const shared = selectShared(statements, expressions, worth)
  const names = new Map<number, string>()
  const added: Code[] = []
  /** The code without marks. Constants that it is the first to need are written before. */
  const resolveMarks = ({ text, imports }: Code): Code => {
    let out = ''
    let end = 0
    for (const { 0: whole, 1: digits, index } of text.matchAll(marks)) {
      const id = Number(digits)
      const expression = expressions[id]
      out += text.slice(end, index)
      if (expression !== undefined && shared.has(id) && !names.has(id)) {
        const value = resolveMarks(expression)
        const fresh = unique(nameExpression(expressions, id, words))
        names.set(id, fresh)
        added.push(declareShared(fresh, value, expression.type))
      }
      const name = names.get(id)
      out += name ?? (expression === undefined ? '' : indent(resolveMarks(expression).text, out))
      end = index + whole.length
    }
    return { text: out + text.slice(end), imports }
  }
  for (const { value, declare } of statements) {
    const whole = resolveMarks(value)
    yield* added.splice(0)
    yield declare(whole)
  }
}

/** The expressions whose constants are shorter than their repetitions. */
function selectShared(
  statements: readonly Statement[],
  expressions: readonly Code[],
  worth: number,
): ReadonlySet<number> {
  const parts = expressions.map(({ text }) => findIds(text))
  const lengths: number[] = []
  expressions.forEach(({ text }, id) => {
    lengths[id] = (parts[id] ?? []).reduce((sum, part) => sum + (lengths[part] ?? 0), text.length)
  })
  const uses = expressions.map(() => 0)
  const count = (ids: readonly number[], times: number) =>
    ids.forEach((id) => (uses[id] = (uses[id] ?? 0) + times))
  for (const { value } of statements) count(findIds(value.text), 1)
  const shared = new Set<number>()
  for (let id = expressions.length - 1; id >= 0; id--) {
    const times = uses[id] ?? 0
    const isWorth = (times - 1) * ((lengths[id] ?? 0) - price) > worth
    if (isWorth) shared.add(id)
    count(parts[id] ?? [], isWorth ? 1 : times)
  }
  return shared
}

function findIds(text: string): readonly number[] {
  return [...text.matchAll(marks)].map(([, id]) => Number(id))
}

/** A name from words of the expression: `z.exactOptional(z.string())` → `_optionalString`. */
function nameExpression(
  expressions: readonly Expression[],
  id: number,
  words: Readonly<Record<string, string>>,
): string {
  const ownName = expressions[id]?.name
  if (ownName !== undefined) return `_${camelCase(ownName.slice(0, 48))}`
  const found: string[] = []
  const seen = new Set<string>()
  const collect = (text: string): void => {
    for (const [word, part] of text.matchAll(wordsOrMarks)) {
      if (found.length >= 4 || seen.has(word)) continue
      if (part !== undefined) {
        seen.add(word)
        collect(expressions[Number(part)]?.text ?? '')
      } else {
        const replacement = lowercaseCapitals(
          Object.hasOwn(words, word) ? (words[word] ?? '') : word,
        )
        if (replacement !== '' && !found.join('').toLowerCase().includes(replacement.toLowerCase()))
          found.push(replacement)
      }
    }
  }
  collect(expressions[id]?.text ?? '')
  return `_${camelCase(found.join(' ').slice(0, 48))}`
}

/** Lowercases a word in capitals, as in header names. */
function lowercaseCapitals(word: string): string {
  return /\p{Ll}/u.test(word) ? word : word.toLowerCase()
}

const wordsOrMarks = new RegExp(`${open}(\\d+)${close}|\\p{ID_Start}\\p{ID_Continue}*`, 'gu')

/** Indents all lines but the first. */
function indent(text: string, before: string): string {
  if (!text.includes('\n')) return text
  const indent = /^[ ]*/.exec(before.slice(before.lastIndexOf('\n') + 1))?.[0] ?? ''
  return indent === '' ? text : text.replaceAll('\n', `\n${indent}`)
}

// The names of constants that operations share.

export function nameParameter({ field }: Parameter): string {
  return `${field} parameter`
}

export function nameParameters(parameters: readonly Parameter[]): string {
  return `${parameters.map(({ field }) => field).join(' ')} parameters`
}

/** By how its media types are read. */
export function nameResponse(api: Api, contents: Response['contents']): string {
  const kinds = new Set(contents.map((content) => contentKind(content, api)))
  return `${[...kinds].join(' or ') || 'empty'} response`
}

/** The name of several kinds of responses is generic. */
export function nameResponses(api: Api, responses: readonly Response[]): string {
  const names = new Set(responses.map(({ contents }) => nameResponse(api, contents)))
  const [name = ''] = names
  return names.size === 1 ? `${name}s` : 'responses'
}
