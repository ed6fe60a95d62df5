import {
  type Arguments,
  type Command,
  type Environment,
  type Flag,
  type Program,
  expected,
  UsageError,
} from './command.js'
import { readArguments } from './read-arguments.js'

/** What a command touches. Given, so that it runs within a test. */
export type World = {
  readonly environment: Environment
  readonly out: Output
  readonly err: Output
}

type Output = { readonly write: (text: string) => unknown; readonly columns?: number }

/** The streams and the environment of this process, which are opened when they are needed. */
export const world: World = {
  get environment() {
    return process.env
  },
  get out() {
    return process.stdout
  },
  get err() {
    return process.stderr
  },
}

/** Exit codes: 0 done, 1 rejected or failed, 2 wrong usage, 70 our own fault, 130 given up. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, internal: 70, interrupted: 130 } as const

/**
 * Parses the arguments, prints help and version, and runs the action. Resolves to the exit code: 2
 * after a `UsageError`, whose message goes to stderr. Other errors are thrown.
 */
export async function runProgram<Name extends string, Member extends Command = Command>(
  program: Program<Name, Member>,
  args: readonly string[],
  { environment, out, err }: World,
  action: (args: Arguments<Name>, member: Member | undefined) => number | Promise<number>,
): Promise<number> {
  let path = program.name
  try {
    const shell = await printCompletion(program, args)
    if (shell !== undefined) {
      out.write(shell)
      return exitCodes.ok
    }
    const invocation = readArguments(withCompletion(program), args, {
      environment,
      width: out.columns,
    })
    if ('show' in invocation) {
      out.write(`${invocation.show}\n`)
      return exitCodes.ok
    }
    if (invocation.member !== undefined) path += ` ${invocation.member.name}`
    return await action(invocation.arguments, invocation.member)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    err.write(`${program.name}: ${error.message}\nRun ${path} --help for all options.\n`)
    return exitCodes.usage
  }
}

const completion: Flag = {
  name: 'completion',
  kind: 'text',
  value: 'SHELL',
  help: 'print a completion script for bash, zsh or fish',
}

/** A program of one command that people install has its completion as an option. */
function withCompletion<Name extends string, Member extends Command>(
  program: Program<Name, Member>,
): Program<Name, Member> {
  if (program.version === undefined || program.commands !== undefined) return program
  return { ...program, flags: [...program.flags, completion as Flag<Name>] }
}

async function printCompletion(
  program: Program,
  [flag, name = '']: readonly string[],
): Promise<string | undefined> {
  if (flag !== '--completion' || withCompletion(program) === program) return undefined
  const { shells } = await import('./completion.js')
  if (!Object.hasOwn(shells, name))
    throw expected(flag, name, `one of ${Object.keys(shells).join(', ')}`)
  return shells[name as keyof typeof shells](withCompletion(program))
}
