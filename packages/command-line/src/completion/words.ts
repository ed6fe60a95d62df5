import type { Command, Flag, Program } from '../command.js'

const help: Flag = { name: 'help', kind: 'switch', short: 'h', help: 'print this' }
const version: Flag = { name: 'version', kind: 'switch', help: 'print the version' }

/** The commands of a program. One without commands is a command whose name is empty. */
export function listCommands(program: Program): readonly Command[] {
  return program.commands ?? [{ ...program, name: '', flags: [] }]
}

/** The flags of all commands. */
export function commonFlags(program: Program): readonly Flag[] {
  return [
    ...program.flags,
    help,
    ...(program.commands === undefined && program.version !== undefined ? [version] : []),
  ]
}

/** The name of the shell function that completes a program. */
export function functionName({ name }: Program): string {
  return `_${name.replaceAll('-', '_')}`
}

/** The first words of all commands, each once. */
export function firstWords(commands: readonly Command[]): readonly string[] {
  return [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? name)), 'help']
}

/** Commands of two words by their first one. */
export function families(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const { name } of commands) {
    const [first = '', second] = name.split(' ')
    if (second !== undefined) found.set(first, [...(found.get(first) ?? []), second])
  }
  return found
}

export function listFlags(program: Program, command: Command): readonly Flag[] {
  return command.passes === true ? [] : [...command.flags, ...commonFlags(program)]
}

/** `--output` and `-o`. */
export function spellings({ name, short }: Flag): readonly string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]
}

/** A text between single quotes of a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
