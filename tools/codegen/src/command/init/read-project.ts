import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { UsageError } from '@farebox/command-line'
import { emitters } from '../../emitters/index.js'

export type Project = {
  /** Its dependencies of every kind. */
  readonly packages: ReadonlySet<string>
  readonly isTypeScript: boolean
  /** The outputs that fit its dependencies, in the order of the list of outputs. */
  readonly outputs: readonly string[]
  /** The default folder of generated code. */
  readonly out: string
}

type Manifest = {
  readonly [kind in 'dependencies' | 'devDependencies' | 'peerDependencies']?: Readonly<
    Record<string, string>
  >
}

/**
 * Reads the project of a folder. Without a package.json it has no dependencies. Throws `UsageError`
 * if it cannot be read.
 */
export function readProject(cwd: string): Project {
  const packages = readDependencies(cwd)
  const has = (name: string): boolean => packages.has(name)
  const fitting = emitters.filter(({ suits, optional }) =>
    suits === undefined ? optional !== true : suits.some(has),
  )
  const names = new Set(fitting.map(({ name }) => name))
  // the loop also visits names added meanwhile
  for (const name of names)
    for (const need of emitters.find((emitter) => emitter.name === name)?.needs ?? [])
      names.add(need)
  const outputs = emitters.filter(({ name }) => names.has(name))
  return {
    packages,
    isTypeScript: has('typescript') || existsSync(join(cwd, 'tsconfig.json')),
    outputs: outputs.map(({ name }) => name),
    out: existsSync(join(cwd, 'src')) ? 'src/api' : 'api',
  }
}

function readDependencies(cwd: string): ReadonlySet<string> {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const path = join(folder, 'package.json')
    if (existsSync(path)) {
      const { dependencies, devDependencies, peerDependencies } = readManifest(path)
      return new Set(Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }))
    }
    if (folder === dirname(folder)) return new Set()
  }
}

function readManifest(path: string): Manifest {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Manifest
  } catch (error) {
    throw new UsageError(
      `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    )
  }
}
