export type { Arguments, Command, Environment, Flag, Note, Operand, Program } from './command.js'
export { readArguments, type Invocation, type ReadOptions } from './read-arguments.js'
export { exitCodes, runProgram, world, type World } from './run-program.js'
export { expected, ParseError, UsageError } from './usage-error.js'
