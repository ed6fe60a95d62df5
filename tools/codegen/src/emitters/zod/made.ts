import { code, type Code } from '../../emit/code.js'
import { uniqueNames } from '../../ir/names.js'

/**
 * A constant whose value one call makes, which a bundler may drop. A function with a name, since the compiler follows the flow of a
 * program into one that is called where it stands: there each name costs a walk past all constants before it.
 */
export function made(declared: Code, maker: string, value: Code): Code {
  return code`export ${local(declared, maker, value)}`
}

/** The same for the module alone. */
export function local(declared: Code, maker: string, value: Code): Code {
  return code`const ${declared} = /* @__PURE__ */ ${maker}()\n\nfunction ${maker}() {\n  return ${value}\n}`
}

/** The names of such functions: those of the constants behind a dollar, unless a constant has that name itself. */
export function makerNames(constants: readonly string[]): (name: string) => string {
  const unique = uniqueNames(constants)
  return (name) => unique(`$${name}`)
}
