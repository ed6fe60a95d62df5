import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { UsageError } from '@farebox/command-line'
import { emitters } from '../../emitters/index.js'

export type Project = {
  /** What its package.json depends on. */
  readonly packages: ReadonlySet<string>
  readonly isTypeScript: boolean
  /** The outputs that suit it, in the order in which outputs are listed. */
  readonly outputs: readonly string[]
  /** Where generated code goes unless it is said. */
  readonly out: string
}

type Manifest = { readonly [kind in 'dependencies' | 'devDependencies' | 'peerDependencies']?: Readonly<Record<string, string>> }

/**
 * What a folder says about the project in it. One without a package.json depends on nothing. Throws
 * `UsageError` for one that cannot be read.
 */
export function readProject(cwd: string): Project {
  const packages = packagesOf(cwd)
  const has = (name: string): boolean => packages.has(name)
  const suiting = emitters.filter(({ suits, optional }) => (suits === undefined ? optional !== true : suits.some(has)))
  const wanted = new Set(suiting.map(({ name }) => name))
  // a set that grows is walked to its end
  for (const name of wanted) for (const need of emitters.find((one) => one.name === name)?.needs ?? []) wanted.add(need)
  const outputs = emitters.filter(({ name }) => wanted.has(name))
  return {
    packages,
    isTypeScript: has('typescript') || existsSync(join(cwd, 'tsconfig.json')),
    outputs: outputs.map(({ name }) => name),
    out: existsSync(join(cwd, 'src')) ? 'src/api' : 'api',
  }
}

function packagesOf(cwd: string): ReadonlySet<string> {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const path = join(folder, 'package.json')
    if (existsSync(path)) {
      const { dependencies, devDependencies, peerDependencies } = manifestAt(path)
      return new Set(Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }))
    }
    if (folder === dirname(folder)) return new Set()
  }
}

function manifestAt(path: string): Manifest {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Manifest
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`)
  }
}
