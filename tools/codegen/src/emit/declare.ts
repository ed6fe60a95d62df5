import { code, type Code } from './code.js'
import { uniqueNames } from '../ir/names.js'

/** Prints the declaration of a constant, with its type if there is one. */
export type Declare = (name: string, value: Code, type?: Code) => Code

/**
 * Declares constants whose values are calls, in a form that a bundler can drop. A file with many
 * constants creates each in a named function: TypeScript analyzes the control flow of an
 * immediately called function, where each name costs a walk past all constants before it. `names`
 * are all constants of the file.
 */
export function createDeclare(names: readonly string[]): Declare {
  const makerName = makerNames(names)
  return (name, value, type) => {
    const declared = code`const ${name}${type === undefined ? '' : code`: ${type}`} = /* @__PURE__ */ `
    if (isSingleCall.test(value.text)) return code`${declared}${value}`
    if (names.length < makerThreshold)
      return code`${declared}(() => ${value.text.startsWith('{') ? code`(${value})` : value})()`
    return code`${declared}${declareMaker(makerName(name), value)}`
  }
}

/** A call without others within: a bundler keeps those, even if it drops the outer one. */
const isSingleCall = /^\w+\.\w+\([^()]*\)$/

/** The same for constants with plain values: a few are declared directly. */
export function constants(names: readonly string[]): Declare {
  const makerName = makerNames(names)
  return (name, value, type) => {
    const typed = type === undefined ? '' : code`: ${type}`
    if (names.length < makerThreshold) return code`const ${name}${typed} = ${value}`
    return code`const ${name}${typed} = /* @__PURE__ */ ${declareMaker(makerName(name), value, type)}`
  }
}

function declareMaker(maker: string, value: Code, type?: Code): Code {
  return code`${maker}()\n\nfunction ${maker}()${type === undefined ? '' : code`: ${type}`} {\n  return ${value}\n}`
}

/** The names of these functions: that of the constant with a dollar, unless it is taken. */
function makerNames(constants: readonly string[]): (name: string) => string {
  const unique = uniqueNames(constants)
  return (name) => unique(`$${name}`)
}

/** From here on the quadratic cost matters: a few hundredths of a second. */
const makerThreshold = 200
