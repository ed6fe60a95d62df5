import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { readVersion, VersionError, type Contract } from '@farebox/spec-diff'
import ts from 'typescript'

export type Both = { readonly base: Contract; readonly head: Contract }

type ReadBothOptions = {
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

/** An option that a newer compiler may know, and no files, for which there is a message of our own. */
const harmless: ReadonlySet<number> = new Set([5023, 18002, 18003])

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
  const { config, error } = ts.readConfigFile(tsConfigFilePath, (name) => ts.sys.readFile(name))
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(
    config,
    ts.sys,
    dirname(resolve(tsConfigFilePath)),
    undefined,
    tsConfigFilePath,
  )
  const fault = error ?? errors.find(({ code }) => !harmless.has(code))
  if (fault !== undefined)
    throw new ProjectError(
      `${tsConfigFilePath} cannot be read: ${ts.flattenDiagnosticMessageText(fault.messageText, ' ')}`,
    )
  if (fileNames.length === 0)
    throw new ProjectError(
      `${tsConfigFilePath} names no files. If it only has references, name one of these with --project.`,
    )
  return ts.createProgram({ rootNames: fileNames, options, host: createHost(options) })
}

/** Reads files as the compiler does, but leaves out comments that types do not depend on. */
export function createHost(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options, true)
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseForTypeInfo
  return host
}
