import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readCommands, compareOutput, readSteps } from './instructions.js'
import { root } from './root.js'

it('reads commands with what they must print, and samples to save or to run in a shell with a name', () => {
  const clone = mkdtempSync(join(tmpdir(), 'farebox-steps-'))
  onTestFinished(() => rmSync(clone, { recursive: true }))
  const samples = join(clone, 'packages/docs/samples')
  mkdirSync(samples, { recursive: true })
  writeFileSync(join(samples, 'serve.sh'), 'pnpm serve\n')
  writeFileSync(join(samples, 'first.ts'), 'call()\n')
  writeFileSync(
    join(clone, 'page.md'),
    [
      '```sh\npnpm quickstart\n```',
      'It ends so:',
      '```text\n3 done\n```',
      '```sh\npnpm test\n```',
      '```ts\nconst notACommand = 1\n```',
      '<Sample file="serve.sh" title="the first shell" />',
      '<Sample file="first.ts" title="first-call.mjs" />\n',
    ].join('\n'),
  )
  expect(readSteps(clone, 'page.md')).toEqual([
    { at: 'page.md:1', text: 'pnpm quickstart\n', expected: '3 done\n' },
    { at: 'page.md:8', text: 'pnpm test\n', expected: '' },
    { at: 'page.md:14', text: 'pnpm serve\n', shellName: 'the-first-shell' },
    { at: 'page.md:15', text: 'call()\n', file: 'first-call.mjs' },
  ])
})

describe('a sample output', () => {
  const sample = {
    at: 'page.md:1',
    text: '',
    expected: `  ✓ Pay 5 USD with one signature      0.5 s
      http://127.0.0.1:4020, process 17, wallet 0xaE16

  2026-01-02T03:04:05.678Z  CHARGE  -0.01     4.98

  Time:    4m51.3s
`,
  }
  const real = `  ✓ Pay 5 USD with one signature  12.25 s
      http://127.0.0.1:40817, process 9117, wallet 0xBB00ff
  2027-11-26T21:01:32.9Z    CHARGE   -0.01       4.98
  Time:    58.1s
`

  it('may differ in spaces, times, dates, addresses and counts', () => {
    expect(() => compareOutput(`before\n${real}after\n`, sample)).not.toThrow()
  })

  it.each([
    [
      'another amount of money',
      '4.98',
      '4.99',
      '"  2026-01-02T03:04:05.678Z  CHARGE  -0.01     4.98"',
    ],
    ['another word', 'Pay', 'Say', '"  ✓ Pay 5 USD with one signature      0.5 s"'],
    ['no number', '0xBB00ff', 'none', '"      http://127.0.0.1:4020, process 17, wallet 0xaE16"'],
  ])('is wrong with %s', (_, from, to, line) => {
    expect(() => compareOutput(real.replace(from, to), sample)).toThrow(
      `page.md:1 promises the line ${line}. The output from there on:`,
    )
  })

  it('is wrong in another order', () => {
    const [first = '', ...rest] = real.split('\n')
    expect(() => compareOutput([...rest, first].join('\n'), sample)).toThrow(
      'page.md:1 promises the line',
    )
  })
})

describe('readCommands', () => {
  it('finds the commands of one section, including multi-line ones', () => {
    const page =
      '## Before\n\n`npx no`\n\n## Add it\n\n1. Run `npx one\n   --two`, and read `spec/`.\n2. `npx three`.\n\n## After\n\n`npx no`\n'
    expect(readCommands(page, 'Add it')).toEqual(['npx one --two', 'npx three'])
    expect(readCommands(page, 'After')).toEqual(['npx no'])
    expect(() => readCommands(page, 'Missing')).toThrow('There is no section "Missing".')
  })

  it('finds what the group `operation` of the deep suite follows', () => {
    const commands = readCommands(
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

it('CONTRIBUTING.md names existing files, except in its examples', () => {
  const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  const paths = [...page.matchAll(/`((?:packages|tools|tests|spec|decisions)\/[\w./-]+)`/g)].map(
    ([, path = '']) => path,
  )
  const examples = /extract-tables|mock-data|log-calls|stellar|NAME|\/generated$/
  expect(paths.length).toBeGreaterThan(40)
  expect(paths.filter((path) => !examples.test(path) && !existsSync(join(root, path)))).toEqual([])
})
