import { code, namespace, type Code } from '../../emit/code.js'

/** The zod of the output: the emitted code is the same for every flavour. */
export const z = namespace('z', './zod.js')

/** The rules for formats, of the hand-written runtime. */
export const formats = namespace('formats', './formats.js')

/** A rule or schema of the runtime, by its module, so that no schema's name can clash. */
export const check = (name: string): Code => code`${namespace('checks', './checks.js')}.${name}`

/** The runtime for evaluated properties and elements. */
export const unevaluated = (name: string): Code =>
  code`${namespace('unevaluated', './unevaluated.js')}.${name}`

/** The name of an expression: without modules, in the terms of zod's documentation. */
export const words = {
  z: '',
  checks: '',
  formats: '',
  schemas: '',
  unevaluated: '',
  check: '',
  new: '',
  RegExp: 'pattern',
  exactOptional: 'optional',
  looseObject: 'object',
}
