import { expect, it } from 'vitest'
import { commands } from './commands.js'
import { createProgram } from './program.js'

const flags = [...createProgram({}).flags, ...commands.flatMap((command) => command.flags)]

it('gives one flag one meaning in all commands', () => {
  for (const flag of flags) {
    const { kind, short, many } = flags.find(({ name }) => name === flag.name) ?? flag
    expect({ name: flag.name, kind: flag.kind, short: flag.short, many: flag.many }).toEqual({ name: flag.name, kind, short, many })
  }
})

it('takes no credential', () => {
  expect(flags.filter(({ name }) => /api|secret|private|token|^key/.test(name))).toEqual([])
})

it('loads every command', async () => {
  for (const { load } of commands) expect(typeof (await load())).toBe('function')
})
