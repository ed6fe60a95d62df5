import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyOfTree } from '@farebox/testing/copy-of-tree'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const tasks = ['generate', 'build', 'typecheck', 'lint', 'test']

type Member = { readonly name: string; readonly path: string; readonly needs: readonly string[]; readonly scripts: readonly string[] }
type Task = { readonly taskId: string; readonly hash: string; readonly command: string; readonly inputs: Readonly<Record<string, string>> }

let copy: string
let members: readonly Member[]
let before: ReadonlyMap<string, Task>

beforeAll(() => {
  copy = copyOfTree(root)
  members = membersOf(copy)
  before = planned(copy)
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

describe('a change reruns what depends on it, and nothing else', () => {
  it('in the source of a package: its tasks, and those of the packages that depend on it', () => {
    for (const member of members) {
      const after = changed(join(member.path, 'src/index.ts'), join(member.path, 'tsconfig.json'), join(member.path, 'tsconfig.test.json'))
      // @farebox/tests reads the whole tree
      const tested = [...new Set([...dependents(member), '@farebox/tests'])].toSorted()
      expect(packagesIn(after, 'test'), member.path).toEqual(having('test', tested))
      expect(packagesIn(after, 'build'), member.path).toEqual(having('build', dependents(member)))
    }
  })

  it('in a test: the test, its types and its lint', () => {
    // @farebox/tests reads the whole tree
    expect(changed('packages/retry/src/backoff.test.ts')).toEqual([
      '@farebox/retry#lint',
      '@farebox/retry#test',
      '@farebox/retry#typecheck',
      '@farebox/tests#test',
    ])
  })

  it('in a README: the tests and the lint of its package, and no build', () => {
    expect(packagesIn(changed('packages/retry/README.md'), 'build')).toEqual([])
  })

  it('in spec/: every generation, and everything that reads what is generated', () => {
    const after = changed('spec/schemas/ParsedText.yaml')
    const generating = members.filter(({ scripts }) => scripts.includes('generate'))
    expect(packagesIn(after, 'generate')).toEqual(generating.map(({ name }) => name).toSorted())
    expect(packagesIn(after, 'build')).toEqual(having('build', [...new Set(generating.flatMap(dependents))].toSorted()))
  })

  it('in the generator: every generation', () => {
    const generating = members.filter(({ scripts }) => scripts.includes('generate'))
    expect(packagesIn(changed('tools/codegen/src/emitters/zod.ts'), 'generate')).toEqual(generating.map(({ name }) => name).toSorted())
  })

  it('in a runtime that the generator emits: every generation', () => {
    expect(packagesIn(changed('tools/codegen/runtime/zod/checks.ts'), 'generate')).toContain('@farebox/zod')
  })
})

it('no task reads what a task writes, so a second run without a change is answered from the cache', () => {
  const written = [...before.values()].flatMap(({ taskId, inputs }) =>
    Object.keys(inputs)
      .filter((path) => /(^|\/)(dist|node_modules|\.turbo)\/|test-report\.json$|\.tsbuildinfo$/.test(path))
      .map((path) => `${taskId} reads ${path}`),
  )
  expect(written).toEqual([])
})

it('every package builds, checks its types, lints, and tests what it has tests for', () => {
  for (const { path, scripts } of members) {
    expect(scripts, path).toEqual(
      expect.arrayContaining(['typecheck', 'lint', ...(hasSources(path) ? ['build'] : []), ...(hasTests(path) ? ['test'] : [])]),
    )
  }
})

/**
 * The ids of the tasks whose hash differs once the first of these files that exists has one line
 * more.
 */
function changed(...paths: readonly string[]): readonly string[] {
  const file = paths.map((path) => join(copy, path)).find((path) => existsSync(path))
  if (file === undefined) throw new Error(`None of ${paths.join(', ')} exists.`)
  const text = readFileSync(file)
  try {
    appendFileSync(file, '\n')
    return [...planned(copy).values()]
      .filter(({ taskId, hash }) => before.get(taskId)?.hash !== hash)
      .map(({ taskId }) => taskId)
      .toSorted()
  } finally {
    writeFileSync(file, text)
  }
}

/** What turbo would run, by its own word. */
function planned(folder: string): ReadonlyMap<string, Task> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TURBO_')))
  const output = execFileSync(join(root, 'node_modules/.bin/turbo'), ['run', ...tasks, '--dry=json'], {
    cwd: folder,
    env: { ...env, TURBO_TELEMETRY_DISABLED: '1' },
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const { tasks: found } = JSON.parse(output.toString()) as { readonly tasks: readonly Task[] }
  return new Map(found.filter(({ command }) => command !== '<NONEXISTENT>').map((task) => [task.taskId, task]))
}

function packagesIn(ids: readonly string[], task: string): readonly string[] {
  return ids.filter((id) => id.endsWith(`#${task}`)).map((id) => id.slice(0, id.indexOf('#')))
}

function having(script: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => members.some((member) => member.name === name && member.scripts.includes(script)))
}

/**
 * A package and every package that depends on it, however far away. Every generated folder depends
 * on the generator.
 */
function dependents(member: Member): readonly string[] {
  const found = new Set([member.name])
  for (let size = 0; size < found.size;) {
    size = found.size
    for (const { name, needs, scripts } of members) {
      const own = scripts.includes('generate') ? [...needs, '@farebox/codegen'] : needs
      if (own.some((one) => found.has(one))) found.add(name)
    }
  }
  return [...found].toSorted()
}

function membersOf(folder: string): readonly Member[] {
  const folders = ['packages', 'tools'].flatMap((parent) => readdirSync(join(folder, parent)).map((child) => `${parent}/${child}`))
  return [...folders, 'packages/docs/samples', 'tests'].flatMap((path): Member[] => {
    if (path === 'packages/docs' || !existsSync(join(folder, path, 'package.json'))) return []
    const manifest = JSON.parse(readFileSync(join(folder, path, 'package.json'), 'utf8')) as Manifest
    const needs = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies })
    return [{ name: manifest.name, path, needs, scripts: Object.keys(manifest.scripts ?? {}) }]
  })
}

type Manifest = {
  readonly name: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

function hasSources(path: string): boolean {
  return existsSync(join(copy, path, 'tsconfig.json'))
}

function hasTests(path: string): boolean {
  return readdirSync(join(copy, path), { recursive: true }).some((file) => String(file).endsWith('.test.ts'))
}
