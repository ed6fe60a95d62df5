import { code, namespace, type Code } from '../../emit/code.js'
import { camelCase, uniqueNames } from '../../ir/names.js'

/** The runtime of validators. */
export const rules = namespace('rules', './rules.js')

/** Functions and constants that the validators of a file share, each written once. */
export type Helpers = {
  /**
   * A function with this body, of a value `v` and of faults `c`.
   */
  readonly validate: (hint: string, body: Code) => Code
  /** A function with this body, of a value `v`. A key is asked for once, and may be asked within. */
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
    validate: (hint, body) => share(hint, 'validate', body, (name) => validatorCode(name, body)),
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
export function validatorCode(name: string, body: Code): Code {
  const bare = body.text.replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, '')
  const parameter = (one: string): string =>
    new RegExp(`\\b${one}\\b`).test(bare) ? one : `_${one}`
  return code`function ${name}(${parameter('v')}: any, ${parameter('c')}?: ${rules}.Faults): boolean {\n  ${body}\n}`
}
