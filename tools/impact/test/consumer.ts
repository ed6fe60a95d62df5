import { execFile } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { emitters, folder, generate } from '@farebox/codegen'
import { readVersion, type Contract } from '@farebox/spec-diff'
import ts from 'typescript'
import type { Document } from 'yaml'
import { createHost } from '../src/find/read-input.js'

/** Inside the package, so that imports of npm's packages resolve; ignored by git. */
const work = fileURLToPath(new URL('../.tmp/', import.meta.url))
const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url))

/** A folder with the consumers. */
export type Consumer = {
  readonly root: string
  readonly project: string
  readonly files: readonly string[]
}

const compilerOptions = {
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  target: 'es2022',
  lib: ['es2022', 'dom'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  types: [],
}

/** `from`: the folder of fixtures that has its code. */
export async function createConsumer(name: string, from = 'consumers'): Promise<Consumer> {
  const root = join(work, name)
  await rm(root, { recursive: true, force: true })
  await mkdir(root, { recursive: true })
  cpSync(join(fixtures, from), join(root, 'src'), { recursive: true })
  const project = join(root, 'tsconfig.json')
  await writeFile(project, JSON.stringify({ compilerOptions, include: ['src'] }))
  await writeFile(join(root, 'package.json'), JSON.stringify({ type: 'module' }))
  return { root, project, files: ts.sys.readDirectory(join(root, 'src')) }
}

/** Writes a version of the contract, and reads it. */
export async function writeSpec(
  { root }: Consumer,
  document: Document,
  name: string,
): Promise<Contract> {
  const spec = `${name.replaceAll(' ', '-')}.yaml`
  await writeFile(join(root, spec), String(document))
  const contract = await readVersion(spec, { spec, cwd: root })
  if (contract === undefined) throw new Error('The contract is not there')
  return contract
}

/** Writes the generated code of a version of the contract. */
export async function generateInto(
  consumer: Consumer,
  document: Document,
  more: readonly string[] = [],
): Promise<void> {
  await writeSpec(consumer, document, 'workshop')
  const wanted = emitters.filter(({ name }) =>
    ['types', 'zod', 'client', 'table', 'paths', ...more].includes(name),
  )
  const target = folder('api', 'npm run generate')
  const { status } = await generate({
    spec: 'workshop.yaml',
    cwd: consumer.root,
    emitters: wanted,
    target,
  })
  if (status !== 'written') throw new Error(`The generated code is ${status}`)
}

/**
 * `FILE:LINE` of each line by the names in its comment `touched: NAME, NAME`. `follows` marks a
 * line where the compiler reports only what follows from a touched one.
 */
export function findMarkedLines(
  { root, files }: Consumer,
  word = 'touched',
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const file of files)
    for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
      const names = new RegExp(`//(?:.*;)? ${word}: ([^;]+)`).exec(line)?.[1]?.split(', ') ?? []
      for (const name of names)
        found.set(name, [...(found.get(name) ?? []), `${relative(root, file)}:${index + 1}`])
    }
  return found
}

const parsed = new Map<string, ts.SourceFile | undefined>()

/**
 * The program of a consumer as its files are now. The programs of a worker share the parsed
 * declarations of the library and of packages.
 */
export function loadProgram({ root }: Consumer): ts.Program {
  const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, root)
  const host = createHost(options)
  return ts.createProgram({
    rootNames: ts.sys.readDirectory(join(root, 'src'), ['.ts']),
    options,
    host: {
      ...host,
      getSourceFile: (name, ...rest) => {
        if (name.startsWith(work)) return host.getSourceFile(name, ...rest)
        if (!parsed.has(name)) parsed.set(name, host.getSourceFile(name, ...rest))
        return parsed.get(name)
      },
    },
  })
}

const tsc = fileURLToPath(
  new URL('../../../node_modules/@typescript/native/bin/tsc', import.meta.url),
)

/**
 * `FILE:LINE` of each error that the compiler reports. It is the native one, which takes a third of
 * the time.
 */
export async function listErrors({ root }: Consumer): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    tsc,
    '--project',
    root,
    '--pretty',
    'false',
  ]).catch((error: unknown) => error as { readonly stdout: string })
  return [...stdout.matchAll(/^(\S.*)\((\d+),\d+\): error /gm)].map(
    ([, file = '', line]) => `${relative(root, file)}:${line}`,
  )
}
