import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandsIn } from './commands-in.js'
import { root } from './root.js'

describe('commandsIn', () => {
  it('finds the commands of one section, also those that a line ends within', () => {
    const page =
      '## Before\n\n`npx no`\n\n## Add it\n\n1. Run `npx one\n   --two`, and read `spec/`.\n2. `npx three`.\n\n## After\n\n`npx no`\n'
    expect(commandsIn(page, 'Add it')).toEqual(['npx one --two', 'npx three'])
    expect(commandsIn(page, 'After')).toEqual(['npx no'])
    expect(() => commandsIn(page, 'Missing')).toThrow('There is no section "Missing".')
  })

  it('finds what the group `operation` of the deep suite follows', () => {
    const commands = commandsIn(
      readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'),
      'Add an operation',
    )
    expect(commands.map((command) => command.replace('npx --yes pnpm@12.21.0 ', ''))).toEqual([
      'new operation extractTables --like parseText --path /augment/tables',
      'spec:lint',
      'generate',
      'npx tsc -b',
      'npx vitest run tests/public-surface.test.ts -u',
      'spec:diff main --changeset',
      'exec turbo run changesets',
    ])
  })
})

it('CONTRIBUTING.md names files that are there, but for those of its examples', () => {
  const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  const paths = [...page.matchAll(/`((?:packages|tools|tests|spec|decisions)\/[\w./-]+)`/g)].map(
    ([, path = '']) => path,
  )
  const examples = /extract-tables|mock-data|log-calls|stellar|NAME|\/generated$/
  expect(paths.length).toBeGreaterThan(40)
  expect(paths.filter((path) => !examples.test(path) && !existsSync(join(root, path)))).toEqual([])
})
