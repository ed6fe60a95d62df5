import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyOfTree } from '@farebox/testing/copy-of-tree'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const tasks = ['generate', 'build', 'typecheck', 'lint', 'test']

type Member = {
  readonly name: string
  readonly path: string
  /** What the package is built with and runs with. */
  readonly build: readonly string[]
  /** What its tests import, which is all that its manifest names. */
  readonly test: readonly string[]
  readonly scripts: readonly string[]
}
type Task = {
  readonly taskId: string
  readonly hash: string
  readonly command: string
  readonly directory: string
  /** Hashes of files, by their paths from the directory. */
  readonly inputs: Readonly<Record<string, string>>
  readonly dependencies: readonly string[]
  readonly dependents: readonly string[]
}

let copy: string
let members: readonly Member[]
let plan: ReadonlyMap<string, Task>

beforeAll(() => {
  copy = copyOfTree(root)
  members = listWorkspace(copy)
  plan = planTasks(copy)
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

describe('a change reruns what depends on it, and nothing else', () => {
  it('in the source of a package: its tasks, and those of the packages that depend on it', () => {
    for (const member of members) {
      const after = findAffectedTasks(
        join(member.path, 'src/index.ts'),
        join(member.path, 'tsconfig.json'),
        join(member.path, 'tsconfig.test.json'),
      )
      expect(listPackages(after, 'test'), member.path).toEqual(
        filterByScript('test', listTestingPackages(member)),
      )
      expect(listPackages(after, 'build'), member.path).toEqual(
        filterByScript('build', listDependents(member)),
      )
    }
  })

  it('in @farebox/retry: neither the service nor what is built on the service', () => {
    expect(listPackages(findRehashedTasks('packages/retry/src/retry.ts'), 'test')).toEqual([
      '@farebox/bench',
      '@farebox/cli',
      '@farebox/compat',
      '@farebox/conformance',
      '@farebox/faults',
      '@farebox/quickstart',
      '@farebox/retry',
      '@farebox/tests',
      'farebox',
    ])
  })

  it('in a test: the tests of its package, and what reads the whole tree', () => {
    expect(findAffectedTasks('packages/retry/src/retry.test.ts')).toEqual([
      '//#lint',
      '//#typecheck',
      '@farebox/retry#test',
      '@farebox/tests#test',
    ])
  })

  it('in a README: the tests of its package, and no build', () => {
    expect(listPackages(findAffectedTasks('packages/retry/README.md'), 'build')).toEqual([])
  })

  it('in spec/: every generation, and everything that reads what is generated', () => {
    const after = findAffectedTasks('spec/schemas/ParsedText.yaml')
    const generating = members.filter(({ scripts }) => scripts.includes('generate'))
    expect(listPackages(after, 'generate')).toEqual(generating.map(({ name }) => name).toSorted())
    expect(listPackages(after, 'build')).toEqual(
      filterByScript('build', [...new Set(generating.flatMap(listDependents))].toSorted()),
    )
  })

  it('in the generator: every generation', () => {
    const generating = members.filter(({ scripts }) => scripts.includes('generate'))
    expect(
      listPackages(findAffectedTasks('tools/codegen/src/emitters/zod.ts'), 'generate'),
    ).toEqual(generating.map(({ name }) => name).toSorted())
  })

  it('in a runtime that the generator emits: every generation', () => {
    expect(
      listPackages(findAffectedTasks('tools/codegen/runtime/zod/checks.ts'), 'generate'),
    ).toContain('@farebox/zod')
  })

  it.each([
    'packages/retry/src/index.ts',
    'packages/retry/src/retry.test.ts',
    'spec/schemas/ParsedText.yaml',
  ])('in %s: the same by the hashes of turbo', (path) =>
    expect(findRehashedTasks(path)).toEqual(findAffectedTasks(path)),
  )
})

it('no task reads what another writes, so a second run without changes is fully cached', () => {
  const written = [...plan.values()].flatMap(({ taskId, inputs }) =>
    Object.keys(inputs)
      .filter((path) =>
        /(^|\/)(dist|node_modules|\.turbo)\/|test-report\.json$|\.tsbuildinfo$/.test(path),
      )
      .map((path) => `${taskId} reads ${path}`),
  )
  expect(written).toEqual([])
})

it.each(['//#lint', '//#typecheck'])(
  '%s runs after every build because it reads the built types of packages',
  (id) => {
    const before = new Set(plan.get(id)?.dependencies)
    for (const earlier of before)
      for (const dependency of plan.get(earlier)?.dependencies ?? []) before.add(dependency)
    const builds = [...plan.values()].filter(
      ({ taskId, command }) => taskId.endsWith('#build') && command !== '<NONEXISTENT>',
    )
    expect(builds.map(({ taskId }) => taskId).filter((build) => !before.has(build))).toEqual([])
  },
)

it('the typecheck of the whole repository covers every package', () => {
  const { scripts } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const given = (scripts['typecheck'] ?? '').split(' ').filter((word) => word.endsWith('.json'))
  const matching = (path: string) =>
    given.some((pattern) => new RegExp(`^${pattern.replaceAll('*', '[^/]+')}$`).test(path))
  const projects = members
    .map(({ path }) => `${path}/tsconfig.test.json`)
    .filter((path) => existsSync(join(copy, path)))
  expect(projects.filter((path) => !matching(path))).toEqual([])
})

it('every package builds and tests what a commit tests', () => {
  for (const { path, scripts } of members) {
    expect(scripts, path).toEqual(
      expect.arrayContaining([
        ...(hasSources(path) ? ['build'] : []),
        ...(hasTests(path) ? ['test'] : []),
      ]),
    )
  }
})

/** The ids of the tasks that read the first of these files that exists, and of their dependents. */
function findAffectedTasks(...paths: readonly string[]): readonly string[] {
  const path = findExisting(paths)
  const reading = [...plan.values()].filter(
    ({ directory, inputs }) => relative(directory, path) in inputs,
  )
  const found = new Set(reading.map(({ taskId }) => taskId))
  for (const id of found)
    for (const dependent of plan.get(id)?.dependents ?? []) found.add(dependent)
  return [...found].filter((id) => plan.get(id)?.command !== '<NONEXISTENT>').toSorted()
}

/** The ids of the tasks whose hash differs once a file has one line more. */
function findRehashedTasks(path: string): readonly string[] {
  const file = join(copy, path)
  const text = readFileSync(file)
  appendFileSync(file, '\n')
  try {
    const changed = [...planTasks(copy).values()].filter(
      ({ taskId, hash }) => plan.get(taskId)?.hash !== hash,
    )
    return changed
      .flatMap(({ taskId, command }) => (command === '<NONEXISTENT>' ? [] : [taskId]))
      .toSorted()
  } finally {
    writeFileSync(file, text)
  }
}

function findExisting(paths: readonly string[]): string {
  const found = paths.find((path) => existsSync(join(copy, path)))
  if (found === undefined) throw new Error(`None of ${paths.join(', ')} exists.`)
  return found
}

/** What turbo would run, by its own word. */
function planTasks(folder: string): ReadonlyMap<string, Task> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('TURBO_')),
  )
  const output = execFileSync(
    join(root, 'node_modules/.bin/turbo'),
    ['run', ...tasks, '--dry=json'],
    {
      cwd: folder,
      env: { ...env, TURBO_TELEMETRY_DISABLED: '1' },
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const { tasks: found } = JSON.parse(output.toString()) as { readonly tasks: readonly Task[] }
  return new Map(found.map((task) => [task.taskId, task]))
}

function listPackages(ids: readonly string[], task: string): readonly string[] {
  return ids.filter((id) => id.endsWith(`#${task}`)).map((id) => id.slice(0, id.indexOf('#')))
}

function filterByScript(script: string, names: readonly string[]): readonly string[] {
  return names.filter((name) =>
    members.some((member) => member.name === name && member.scripts.includes(script)),
  )
}

/**
 * A package and every package that is built with it, however far away. Every generated folder
 * depends on the generator.
 */
function listDependents(member: Member): readonly string[] {
  const found = new Set([member.name])
  for (let size = 0; size < found.size;) {
    size = found.size
    for (const { name, build, scripts } of members) {
      const own = scripts.includes('generate') ? [...build, '@farebox/codegen'] : build
      if (own.some((one) => found.has(one))) found.add(name)
    }
  }
  return [...found].toSorted()
}

/** The packages whose tests import a package or one built with it. */
function listTestingPackages(member: Member): readonly string[] {
  const built = listDependents(member)
  // @farebox/tests reads the whole tree
  const testing = members.filter(
    ({ name, test }) => name === '@farebox/tests' || test.some((one) => built.includes(one)),
  )
  return [...new Set([...built, ...testing.map(({ name }) => name)])].toSorted()
}

function listWorkspace(folder: string): readonly Member[] {
  const folders = ['packages', 'tools', 'tools/internal'].flatMap((parent) =>
    readdirSync(join(folder, parent)).map((child) => `${parent}/${child}`),
  )
  return [...folders, 'packages/docs/samples', 'tests'].flatMap((path): Member[] => {
    if (path === 'packages/docs' || !existsSync(join(folder, path, 'package.json'))) return []
    const manifest = JSON.parse(
      readFileSync(join(folder, path, 'package.json'), 'utf8'),
    ) as Manifest
    const runtime = { ...manifest.dependencies, ...manifest.optionalDependencies }
    return [
      {
        name: manifest.name,
        path,
        build: [...Object.keys(runtime), ...listReferencedPackages(join(folder, path))],
        test: Object.keys({ ...runtime, ...manifest.devDependencies }),
        scripts: Object.keys(manifest.scripts ?? {}),
      },
    ]
  })
}

/**
 * The packages whose types the sources of a folder are compiled with: `tsc -b` follows these
 * references.
 */
function listReferencedPackages(folder: string): readonly string[] {
  const config = join(folder, 'tsconfig.json')
  if (!existsSync(config)) return []
  const { references = [] } = JSON.parse(readFileSync(config, 'utf8')) as {
    readonly references?: readonly { readonly path: string }[]
  }
  return references.flatMap(({ path }) => {
    const target = join(folder, path)
    if (!relative(folder, target).startsWith('..')) return listReferencedPackages(target)
    return findManifest(target).name
  })
}

function findManifest(folder: string): Manifest {
  const path = join(folder, 'package.json')
  return existsSync(path)
    ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest)
    : findManifest(dirname(folder))
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
  return readdirSync(join(copy, path), { recursive: true }).some((file) =>
    /(?<!\.deep)\.test\.ts$/.test(String(file)),
  )
}
