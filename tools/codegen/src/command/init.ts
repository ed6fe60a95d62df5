import { existsSync, readFileSync } from 'node:fs'
import { open, readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { exitCodes, expected, UsageError } from '@farebox/command-line'
import { findConfig, parseJsonFile } from '../config/load-config.js'
import { code } from '../emit/code.js'
import { literal } from '../emit/literal.js'
import { emitters } from '../emitters/index.js'
import { isStream } from './input-flags.js'
import type { Io } from './io.js'

/** The values that the command line already gives. */
type InitOptions = {
  readonly spec: string | undefined
  readonly out: string | undefined
  readonly only: readonly string[] | undefined
  /** Skip the questions. Without a terminal there are none. */
  readonly yes: boolean
}

/**
 * Writes a configuration from the files of the folder and, on a terminal, by asking. Then generates
 * with it. Resolves to the exit code: 1 if there already is a configuration, which is left
 * unchanged. Throws `UsageError`.
 */
export async function init(
  { spec, out, only, yes }: InitOptions,
  io: Io,
  generate: () => Promise<number>,
): Promise<number> {
  const existing = findConfig(io.cwd)
  if (existing !== undefined) {
    io.error(`${existing} exists already. Nothing was written.`)
    return exitCodes.failed
  }
  const project = readProject(io.cwd)
  const ask = async (question: string, fallback: string): Promise<string> =>
    (yes ? undefined : (await io.ask?.(`${question} (${fallback}): `))?.trim()) || fallback
  const document = spec ?? (await ask('Document', await findFirstDocument(io)))
  if (document === '-' || (!isStream(document) && !existsSync(resolve(io.cwd, document))))
    throw expected('--spec', document, 'an existing file, or a URL')
  const folder = out ?? (await ask('Folder of the output', project.out))
  const outputs =
    only ?? (await ask('Outputs', project.outputs.join(','))).split(',').map((name) => name.trim())
  const known = emitters.map(({ name }) => name)
  const unknown = outputs.find((name) => !known.includes(name))
  if (unknown !== undefined) throw expected('--only', unknown, `some of ${known.join(', ')}`)

  const path = join(io.cwd, `farebox.config.${project.isTypeScript ? 'ts' : 'mjs'}`)
  await writeFile(path, formatConfig({ spec: document, out: folder, outputs }, project), {
    flag: 'wx',
  })
  io.out(
    `Wrote ${basename(path)}: ${document} becomes ${outputs.map((name) => `${folder}/${name}`).join(', ')}.`,
  )
  const code = await generate()
  for (const line of listNextSteps(project, outputs)) io.out(line)
  return code
}

async function findFirstDocument(io: Io): Promise<string> {
  const [first, ...others] = await findDocuments(io.cwd)
  if (first === undefined)
    throw new UsageError('No OpenAPI document found here. Pass one with --spec FILE.')
  if (others.length > 0) io.out(`Found ${[first, ...others].join(', ')}.`)
  return first
}

function listNextSteps({ packages }: Project, outputs: readonly string[]): readonly string[] {
  const missing = outputs.flatMap((name) => {
    const { suits = [] } = emitters.find((emitter) => emitter.name === name) ?? {}
    return suits.length === 0 || suits.some((dependency) => packages.has(dependency))
      ? []
      : suits.slice(0, 1)
  })
  return [
    'Next:',
    ...(packages.has('@farebox/codegen') ? [] : ['  npm install --save-dev @farebox/codegen']),
    ...(missing.length === 0 ? [] : [`  npm install ${missing.join(' ')}`]),
    '  npx farebox-codegen           writes the output again, when the document has changed',
    '  npx farebox-codegen --check   checks that it is up to date, for CI',
  ]
}

type Choices = {
  readonly spec: string
  readonly out: string
  readonly outputs: readonly string[]
}

/** The source of a configuration. It imports the package only where that is installed. */
function formatConfig(
  { spec, out, outputs }: Choices,
  { isTypeScript, packages }: Project,
): string {
  const fields = code`{
  documents: [${literal({ spec, out })}],
  outputs: ${literal(Object.fromEntries(outputs.map((name) => [name, true])))},
}`
  if (!isTypeScript)
    return `/** @type {import('@farebox/codegen').Config} */\nexport default ${fields.text}\n`
  return packages.has('@farebox/codegen')
    ? `import { defineConfig } from '@farebox/codegen'\n\nexport default defineConfig(${fields.text})\n`
    : `import type { Config } from '@farebox/codegen'\n\nexport default ${fields.text} satisfies Config\n`
}

/** Where projects keep their document, the most likely folder first. */
const folders = [
  '.',
  'spec',
  'openapi',
  'api',
  'docs',
  'schema',
  'src',
  'src/api',
  'public',
  'swagger',
]

/** Every OpenAPI or Swagger document in these folders of a project. */
async function findDocuments(cwd: string): Promise<readonly string[]> {
  const documents: string[] = []
  for (const folder of folders) {
    const entries = await readdir(join(cwd, folder), { withFileTypes: true }).catch(() => [])
    const names = entries
      .filter((entry) => entry.isFile() && /\.(?:ya?ml|json)$/i.test(entry.name))
      .map(({ name }) => name)
    for (const name of names.toSorted())
      if (isDocument(await readStart(join(cwd, folder, name))))
        documents.push(join(folder, name).replaceAll('\\', '/'))
  }
  return documents
}

/** By convention, the version is near the start of a document. */
function isDocument(text: string): boolean {
  return (
    /^\uFEFF?\s*(?:#.*\n|---.*\n|\s*\n)*["']?(?:openapi|swagger)["']?\s*:/.test(text) ||
    /^\s*\{[^]*"(?:openapi|swagger)"\s*:\s*"[23]\./.test(text)
  )
}

async function readStart(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return ''
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0)
    return buffer.subarray(0, bytesRead).toString()
  } finally {
    await file.close()
  }
}

type Project = {
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
function readProject(cwd: string): Project {
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
    return parseJsonFile(readFileSync(path)) as Manifest
  } catch (error) {
    throw new UsageError(
      `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    )
  }
}
