import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { compare, stepsOf } from './steps-of.js'

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
      '```text\n… done\n```',
      '```sh\npnpm test\n```',
      '```ts\nconst notACommand = 1\n```',
      '<Sample file="serve.sh" title="the first shell" />',
      '<Sample file="first.ts" title="first-call.mjs" />\n',
    ].join('\n'),
  )
  expect(stepsOf(clone, 'page.md')).toEqual([
    { at: 'page.md:1', text: 'pnpm quickstart\n', expected: '… done\n' },
    { at: 'page.md:8', text: 'pnpm test\n', expected: '' },
    { at: 'page.md:14', text: 'pnpm serve\n', shellName: 'the-first-shell' },
    { at: 'page.md:15', text: 'call()\n', file: 'first-call.mjs' },
  ])
})

it('finds the expected lines in their order, with anything for …', () => {
  const step = { at: 'page.md:1', text: '', expected: 'a … c\n…\nd' }
  expect(() => compare('before\na b c\nbetween\nd\n', step)).not.toThrow()
  expect(() => compare('d\na b c\n', step)).toThrow('page.md:1 promises the line "d". The output from there on:')
})
