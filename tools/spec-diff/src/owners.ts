import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { joined, packageKeys, worse, type PackageKey, type Verdict, type Verdicts } from './verdict.js'

/** What carries outputs of the contract, by the name that the report gives it. */
export type Carrier = {
  readonly name: string
  readonly outputs: readonly PackageKey[]
}

/** A package of npm that carries outputs of the contract. */
export type Owner = Carrier & {
  readonly version: string
  /** Its package.json, relative to where the command runs. */
  readonly manifest: string
}

/** The outputs themselves, where nothing was said of packages. */
export const outputs: readonly Carrier[] = packageKeys.map((name) => ({ name, outputs: [name] }))

/** A `--package` that names no package, or no output. */
export class OwnerError extends Error {
  override readonly name = 'OwnerError'
}

/**
 * The packages that `FOLDER` or `FOLDER=types,zod` name; without a list a package carries every output. Nothing named is the package of the
 * folder itself.
 */
export async function readOwners(cwd: string, named: readonly string[]): Promise<readonly Owner[]> {
  return Promise.all((named.length === 0 ? ['.'] : named).map((each) => readOwner(cwd, each)))
}

/** What changes ask of a carrier: the strictest that they ask of one of its outputs. */
export function verdictOf({ outputs }: Carrier, verdicts: readonly Verdicts[]): Verdict {
  const together = joined(verdicts)
  return outputs.map((output) => together[output]).reduce(worse, 'none')
}

async function readOwner(cwd: string, named: string): Promise<Owner> {
  const [folder = '', list] = named.split('=')
  const manifest = join(folder, 'package.json')
  if (!existsSync(join(cwd, manifest)))
    throw new OwnerError(`There is no ${manifest}. Name the folder of the package that carries the output with --package FOLDER.`)
  const { name, version } = JSON.parse(await readFile(join(cwd, manifest), 'utf8')) as {
    readonly name?: unknown
    readonly version?: unknown
  }
  if (typeof name !== 'string' || typeof version !== 'string')
    throw new OwnerError(`${manifest} has no name or no version, and a changeset needs both.`)
  const outputs = (list ?? packageKeys.join()).split(',').map((output) => {
    const known = packageKeys.find((key) => key === output)
    if (known === undefined)
      throw new OwnerError(`--package ${named} names the output ${JSON.stringify(output)}. There are ${packageKeys.join(', ')}.`)
    return known
  })
  return { name, version, manifest, outputs }
}
