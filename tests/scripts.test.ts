import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { groups } from '@farebox/release/deep/groups'
import { readCommands, readSteps } from '@farebox/release/instructions'
import { expect, it } from 'vitest'
import { root } from './tree.js'

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}

/** What nothing runs, and why. */
const exempt: Readonly<Record<string, string>> = {
  'release:version':
    'only for the pull request "Release"; release:dry raises the versions of a clone',
  'release:publish': 'publishes; release:dry publishes to a registry of its own',
  'test:deep': 'runs the groups',
}

/** What `.ci/run` and the groups of the deep suite run, and what is run by that. */
const lines: readonly string[] = [
  readFileSync(join(root, '.ci/run'), 'utf8').replaceAll(/^\s*#.*/gm, ''),
  ...groups.flatMap((group) => group.commands(1).map(({ command }) => command.join(' '))),
  ...readCommands(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'), 'Add an operation'),
  ...['README.md', 'CONTRIBUTING.md', 'packages/docs/src/content/docs/start.mdx'].flatMap((page) =>
    readSteps(root, page).map(({ text }) => text),
  ),
]
const run = new Set(
  Object.keys(scripts).filter((name) => lines.some((line) => hasCall(line, name))),
)
for (const name of run)
  for (const other of Object.keys(scripts)) if (hasCall(scripts[name] ?? '', other)) run.add(other)

/** Whether a line runs a script: through pnpm, as a task of turbo, or by the same command. */
function hasCall(line: string, name: string): boolean {
  if (/--help/.test(line)) return false
  const given = [
    ...line.matchAll(
      /\b(?:pnpm(?:@[\d.]+)?(?: --silent)? (\S+)|(?:step|turbo run|turbo\.mjs) ([^|&\n]+))/g,
    ),
  ]
  const words = given.flatMap(([, script, tasks = '']) => [
    script,
    ...tasks.split(/\s+/).filter((word) => /^[a-z:]+$/.test(word)),
  ])
  return words.includes(name) || line.split('\n').some((one) => one.trim() === scripts[name])
}

it('every script is run by .ci/run or the deep suite', () => {
  expect(Object.keys(scripts).filter((name) => !run.has(name) && !(name in exempt))).toEqual([])
})

it('exemptions are scripts that nothing runs', () => {
  expect(Object.keys(exempt).filter((name) => !(name in scripts) || run.has(name))).toEqual([])
})

const testFiles = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.test.ts'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')

/** What the deep suite gives to the runner of tests: parts of paths below a folder, or all of it. */
const filters = groups
  .flatMap((group) => group.commands(1))
  .filter(({ env }) => env?.['RUNS'] === 'all')
  .flatMap(({ command, folder = '' }) => {
    const parts = command.slice(command.indexOf('--reporter=default') + 1)
    return (parts.length === 0 ? [''] : parts).map((part) => ({ folder, part }))
  })

function isMatch({ folder, part }: (typeof filters)[number], file: string): boolean {
  return file.startsWith(`${folder}/`) && file.slice(folder.length).includes(part)
}

it('the deep suite runs every test that the commit suite skips or shortens', () => {
  const isShorter = (file: string): boolean =>
    file.endsWith('.deep.test.ts') ||
    /from '.*testing\/(?:src\/)?rounds(?:\.js)?'/.test(readFileSync(join(root, file), 'utf8'))
  const missing = testFiles.filter(
    (file) => !filters.some((filter) => isMatch(filter, file)) && isShorter(file),
  )
  expect(missing).toEqual([])
})

it('the deep suite names only existing tests', () => {
  const stale = filters.filter((filter) => !testFiles.some((file) => isMatch(filter, file)))
  expect(stale).toEqual([])
})

it('a package with its own compiler is also built with ours', () => {
  // two of them would take turns in writing what each finds written by the other, also during tests
  const manifests = execFileSync('git', ['ls-files', '*package.json'], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .map((path) => ({ path, ...readManifest(path) }))
  const foreign = manifests.filter(
    ({ scripts = {}, dependencies, devDependencies }) =>
      /^tsc\b/.test(scripts['build'] ?? '') &&
      'typescript' in { ...dependencies, ...devDependencies } &&
      devDependencies?.['@typescript/native'] === undefined,
  )
  expect(foreign.map(({ path }) => path)).toEqual([])
})

function readManifest(path: string) {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as {
    readonly scripts?: Readonly<Record<string, string>>
    readonly dependencies?: Readonly<Record<string, string>>
    readonly devDependencies?: Readonly<Record<string, string>>
  }
}
