import { existsSync } from 'node:fs'
import { readVersion, VersionError, type Contract } from '@farebox/spec-diff'
import { Project, type ts } from 'ts-morph'

export type Both = { readonly base: Contract; readonly head: Contract }

export type ReadBothOptions = {
  /** The document within a revision, relative to `cwd`. */
  readonly spec: string
  readonly cwd: string
  readonly allowRefs: boolean
  readonly warn: (message: string) => void
}

/**
 * Both versions of a contract. The older one was released as it is, so its faulty parts are left
 * out with a warning.
 *
 * @throws VersionError if one of them cannot be read.
 */
export async function readBoth(
  from: string,
  to: string,
  { warn, ...options }: ReadBothOptions,
): Promise<Both> {
  const base = await readOne(from, { ...options, warn })
  return { base, head: requireContract(await readVersion(to, options), to, options.spec) }
}

/**
 * A version of a contract without its faulty parts, of which `warn` is told.
 *
 * @throws VersionError if it cannot be read.
 */
export async function readOne(
  version: string,
  { warn, ...options }: ReadBothOptions,
): Promise<Contract> {
  return requireContract(
    await readVersion(version, { ...options, onFaults: warn }),
    version,
    options.spec,
  )
}

function requireContract(contract: Contract | undefined, version: string, spec: string): Contract {
  if (contract === undefined)
    throw new VersionError(`${version} does not hold ${spec}. Name the document with --spec.`)
  return contract
}

/** A project that cannot be read. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError'
}

/**
 * The program of a consumer. Reads the files that its `tsconfig.json` names, and what they import.
 */
export function readProgram(tsConfigFilePath: string): ts.Program {
  if (!existsSync(tsConfigFilePath))
    throw new ProjectError(
      `There is no ${tsConfigFilePath}. Name the consumer's tsconfig.json with --project.`,
    )
  const project = new Project({ tsConfigFilePath })
  if (project.getSourceFiles().length === 0)
    throw new ProjectError(
      `${tsConfigFilePath} names no files. If it only has references, name one of these with --project.`,
    )
  return project.getProgram().compilerObject
}
