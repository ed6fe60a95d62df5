import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findFolder, type GeneratedFile } from './generated-files.js'
import {
  joinVerdicts,
  packageKeys,
  pickStricter,
  type PackageKey,
  type Verdict,
  type Verdicts,
} from '../change/verdict.js'

/** The content of a package: an output with verdicts, or the whole document. */
export type Output = PackageKey | 'document'

/** A package with outputs of the contract, by the name in the report. */
export type Carrier = {
  readonly name: string
  readonly outputs: readonly Output[]
}

/** An npm package with outputs of the contract. */
export type Owner = Carrier & {
  readonly version: string
  /** Its package.json, relative to the working directory. */
  readonly manifest: string
  /** Its generated files. */
  readonly files: readonly string[]
}

/** The version of a package that was never released. Its first release describes all of it. */
export const unreleased = '0.0.0'

export function isReleased({ version }: Owner): boolean {
  return version !== unreleased
}

/** The outputs themselves, if no package is known. */
export const outputs: readonly Carrier[] = packageKeys.map((name) => ({ name, outputs: [name] }))

/** A `--package` that names no package, or no output. */
export class OwnerError extends Error {
  override readonly name = 'OwnerError'
}

/** The verdicts that apply to an output. All of them apply to an unlisted one. */
const carriedBy: Readonly<Record<string, readonly Output[]>> = {
  types: ['types'],
  table: ['types'],
  zod: ['zod'],
  client: ['client'],
  // typed by the types, and generated within the bounds of the validators
  arbitraries: ['types', 'zod'],
  // the flat input of the client, the bounds of the validators, and the facts and examples of the
  // types
  mcp: ['types', 'zod', 'client'],
  document: ['document'],
}

/**
 * The packages with generated files and their outputs, and those of `FOLDER` or `FOLDER=types,zod`;
 * without a list, such a package has every output. If there are none, the package of the folder
 * itself.
 */
export async function readOwners(
  cwd: string,
  named: readonly string[],
  files: readonly GeneratedFile[],
): Promise<readonly Owner[]> {
  const held = new Map<string, GeneratedFile[]>()
  for (const file of files) {
    const folder = findPackage(cwd, file.path)
    if (folder === undefined) continue
    held.set(folder, [...(held.get(folder) ?? []), file])
  }
  const given = new Map(named.map((each) => [normalizeFolder(each.split('=', 1)[0] ?? ''), each]))
  const wanted = [...new Set([...held.keys(), ...given.keys()])]
  const owners = (wanted.length === 0 ? ['.'] : wanted).map(async (folder) => {
    const inside = held.get(folder) ?? []
    const said = given.get(folder)
    const manifest = await readManifest(cwd, folder)
    // a package without a version is not released; that is an error only if it was named
    if (manifest === undefined && said === undefined && inside.length > 0) return []
    if (manifest === undefined)
      throw new OwnerError(
        `${join(folder, 'package.json')} has no name or no version, and a changeset needs both.`,
      )
    const carried =
      said === undefined && inside.length > 0 ? listOutputs(inside) : parseOutputs(said ?? folder)
    return [{ ...manifest, outputs: carried, files: inside.map(({ path }) => path) }]
  })
  return (await Promise.all(owners)).flat()
}

/** The verdict for a package: the strictest of its outputs. */
export function findCarrierVerdict({ outputs }: Carrier, verdicts: readonly Verdicts[]): Verdict {
  const together = joinVerdicts(verdicts)
  const findVerdict = (output: Output): Verdict =>
    output === 'document'
      ? pickStricter(together.sdk, verdicts.length > 0 ? 'patch' : 'none')
      : together[output]
  return outputs.map(findVerdict).reduce(pickStricter, 'none')
}

function listOutputs(files: readonly GeneratedFile[]): readonly Output[] {
  return [...new Set(files.flatMap(({ output }) => carriedBy[output] ?? packageKeys))]
}

/** The nearest package that contains a file. */
function findPackage(cwd: string, path: string): string | undefined {
  for (let folder = findFolder(path); ; folder = findFolder(folder)) {
    if (existsSync(join(cwd, folder, 'package.json'))) return folder
    if (folder === '.') return undefined
  }
}

async function readManifest(
  cwd: string,
  folder: string,
): Promise<Pick<Owner, 'name' | 'version' | 'manifest'> | undefined> {
  const manifest = join(folder, 'package.json')
  if (!existsSync(join(cwd, manifest)))
    throw new OwnerError(
      `There is no ${manifest}. Name the folder of the package that carries the output with --package FOLDER.`,
    )
  const { name, version } = JSON.parse(await readFile(join(cwd, manifest), 'utf8')) as {
    readonly name?: unknown
    readonly version?: unknown
  }
  return typeof name === 'string' && typeof version === 'string'
    ? { name, version, manifest }
    : undefined
}

function parseOutputs(named: string): readonly Output[] {
  const [, list] = named.split('=')
  const known: readonly Output[] = [...packageKeys, 'document']
  return (list ?? packageKeys.join()).split(',').map((output) => {
    const knownOutput = known.find((key) => key === output)
    if (knownOutput === undefined)
      throw new OwnerError(
        `--package ${named} names the output ${JSON.stringify(output)}. There are ${known.join(', ')}.`,
      )
    return knownOutput
  })
}

/** `./packages/api/` → packages/api. */
function normalizeFolder(folder: string): string {
  return join(folder)
    .replaceAll('\\', '/')
    .replace(/(?<=.)\/$/, '')
}
