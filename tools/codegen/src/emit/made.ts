import { code, type Code } from './code.js'
import { uniqueNames } from '../ir/names.js'

/**
 * A constant whose value one call makes, which a bundler may drop. A function with a name, since
 * the compiler follows the flow of a program into one that is called where it stands: there each
 * name costs a walk past all constants before it.
 */
export function made(declared: Code, maker: string, value: Code): Code {
  return code`export ${local(declared, maker, value)}`
}

/** The same for the module alone. */
export function local(declared: Code, maker: string, value: Code): Code {
  return code`const ${declared} = /* @__PURE__ */ ${maker}()\n\nfunction ${maker}() {\n  return ${value}\n}`
}

/** The names of such functions: the constant's with a dollar, unless that is taken. */
export function makerNames(constants: readonly string[]): (name: string) => string {
  const unique = uniqueNames(constants)
  return (name) => unique(`$${name}`)
}

/**
 * How a file declares its constants: directly or, if there are many, each by a function that costs
 * the compiler the same in a file of any length. `names` are all constants of the file.
 */
export function constants(names: readonly string[]): (name: string, value: Code, type?: Code) => Code {
  const makerOf = makerNames(names)
  return (name, value, type) => {
    const typed = type === undefined ? '' : code`: ${type}`
    if (names.length < many) return code`const ${name}${typed} = ${value}`
    const maker = makerOf(name)
    return code`const ${name}${typed} = /* @__PURE__ */ ${maker}()\n\nfunction ${maker}()${typed} {\n  return ${value}\n}`
  }
}

/** From here on the square of it is felt: a few hundredths of a second. */
const many = 200
