import { readArguments } from '@farebox/command-line'
import { expect, it } from 'vitest'
import { commands } from './commands.js'
import { createProgram } from './program.js'

const flags = [...createProgram({}).flags, ...commands.flatMap((command) => command.flags)]

it('gives one flag one meaning in all commands', () => {
  for (const flag of flags) {
    const { kind, short, many } = flags.find(({ name }) => name === flag.name) ?? flag
    expect({ name: flag.name, kind: flag.kind, short: flag.short, many: flag.many }).toEqual({
      name: flag.name,
      kind,
      short,
      many,
    })
  }
})

it('takes no credential but from a file', () => {
  const takesText = flags.filter(({ kind, completes }) => kind === 'text' && completes !== 'file')
  expect(takesText.filter(({ name }) => /api|secret|private|token(?!s)|^key/.test(name))).toEqual(
    [],
  )
})

it('loads every command', async () => {
  for (const { load } of commands) expect(typeof (await load())).toBe('function')
})

it.each([40, 64, 80])(
  'fits every help into %i columns, with examples, and help X equals X --help',
  (width) => {
    const program = createProgram({ HOME: '/home/me' })
    const shown = (...args: readonly string[]) => {
      const invocation = readArguments(program, args, { width })
      return 'show' in invocation ? invocation.show : ''
    }
    for (const { name } of commands.filter(({ passes }) => passes !== true)) {
      const help = shown('help', ...name.split(' '))
      // the first line is the form of the command, which stays whole
      const [, ...lines] = help.split('\n')
      expect(lines.filter((line) => line.length > width)).toEqual([])
      expect(help).toContain(`Examples:\n`)
      expect(shown(...name.split(' '), '--help')).toBe(help)
    }
  },
)
