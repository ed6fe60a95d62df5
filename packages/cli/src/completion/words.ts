import type { Command, Flag } from '../command.js'
import { commonFlags } from '../read-arguments.js'

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

export function flagsOf(command: Command): readonly Flag[] {
  return command.passes === true ? [] : [...command.flags, ...commonFlags]
}

/** `--output` and `-o`. */
export function spellings({ name, short }: Flag): readonly string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]
}

/** A text between single quotes of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
