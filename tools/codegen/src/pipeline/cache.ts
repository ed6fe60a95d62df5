import { readFileSync, readdirSync, statSync } from 'node:fs'
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Diagnostic } from '../diagnostics.js'
import type { Input } from '../document/files.js'
import { hashOf } from '../document/hash.js'
import { compare, isClean } from './write.js'
import type { Hashed } from './write.js'

/** What a run depends on beside the files that it reads. */
export type Question = {
  readonly cwd: string
  /** The entry file, relative to `cwd`. */
  readonly spec: string
  /** Everything else that the output depends on. */
  readonly options: readonly (string | boolean)[]
}

/** The input, output and messages of a run, as hashes only: the cache never writes files. */
export type Answer = {
  readonly inputs: readonly Input[]
  readonly outputs: Hashed
  readonly diagnostics: readonly Diagnostic[]
  /** The line about the parts of the document that are left out, if there are any. */
  readonly loss?: string
}

/**
 * The output of an earlier run, if nothing has changed since: the generator, its options, every
 * file of the document and every file of the output. An entry that is missing, broken or out of
 * date is ignored.
 */
export async function recall(folder: string, question: Question): Promise<Answer | undefined> {
  const entry = await read(resolve(question.cwd, question.spec))
  if (entry === undefined) return undefined
  const name = nameOf(question, hashOf(entry))
  const answer = answerOf(name, (await read(join(folder, name)))?.toString() ?? '')
  if (answer === undefined) return undefined
  for (const { location, hash } of answer.inputs) {
    const bytes = await read(location)
    if ((bytes && hashOf(bytes)) !== hash) return undefined
  }
  return isClean(await compare(question.cwd, answer.outputs)) ? answer : undefined
}

/**
 * Stores an output, unless a part of the document came from a URL. A folder that cannot be written
 * is not an error: the next run takes longer.
 */
export async function remember(folder: string, question: Question, answer: Answer): Promise<void> {
  const entry = answer.inputs.find(({ location }) => location === resolve(question.cwd, question.spec))
  if (entry?.hash === undefined || answer.inputs.some(({ location }) => isUrl(location))) return
  const name = nameOf(question, entry.hash)
  const file = join(folder, name)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(`${file}.${process.pid}`, textOf(name, answer), { mode: 0o600 })
    await rename(`${file}.${process.pid}`, file)
    await forgetOldest(folder)
  } catch {
    await rm(`${file}.${process.pid}`, { force: true }).catch(() => undefined)
  }
}

/** Where the cache lives: in the project's node_modules, else in the temporary folder. */
export function cacheFolder(cwd: string, temp: string): string {
  // A folder that all users may write into is unsafe under a predictable name.
  return projectCache(cwd, 'farebox-codegen') ?? join(temp, `farebox-codegen-${process.getuid?.() ?? 'user'}`)
}

/** A folder for a cache in the project's node_modules, if it has any. */
export function projectCache(cwd: string, name: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (isFolder(join(folder, 'node_modules'))) return join(folder, 'node_modules/.cache', name)
    if (folder === dirname(folder)) return undefined
  }
}

/** So many documents, or states of them, are known at a time. */
export const maxEntries = 64

async function forgetOldest(folder: string): Promise<void> {
  const names = await readdir(folder)
  if (names.length <= maxEntries) return
  const aged = await Promise.all(names.map(async (name) => ({ name, time: (await stat(join(folder, name))).mtimeMs })))
  const old = aged.toSorted((a, b) => a.time - b.time).slice(0, names.length - maxEntries)
  await Promise.all(old.map(async ({ name }) => rm(join(folder, name), { force: true })))
}

function nameOf({ cwd, spec, options }: Question, entry: string): string {
  return `${hashOf(JSON.stringify([generatorHash(), resolve(cwd), spec, entry, ...options]))}.json`
}

let known: string | undefined

/** The generator: its code, its runtime, and the versions of its dependencies. */
function generatorHash(): string {
  known ??= hashOf(
    ...[...filesBelow(here), ...filesBelow(join(here, '../runtime')), join(here, '../package.json')].map((file) => readFileSync(file)),
  )
  return known
}

const here = dirname(import.meta.dirname)

function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile() && /\.[jt]s$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}

function textOf(name: string, { inputs, outputs, diagnostics, loss }: Answer): string {
  const said = diagnostics.map(({ code, place: { file, line, column, pointer, excerpt }, found, expected }) => {
    return { code, place: { file, line, column, pointer, excerpt }, found, expected }
  })
  const body = JSON.stringify({ inputs, files: [...outputs.files], directories: outputs.directories, said, loss })
  return `${hashOf(name, body)}\n${body}`
}

/** Half an entry, an edited one and one with another's name do not begin with this hash. */
function answerOf(name: string, text: string): Answer | undefined {
  const [hash, body] = text.split('\n')
  if (body === undefined || hashOf(name, body) !== hash) return undefined
  const { inputs, files, directories, said, loss } = JSON.parse(body) as Kept
  // a run with an error is not kept
  const diagnostics = said.map((one) => ({ ...one, severity: 'warning' as const }))
  return { inputs, outputs: { files: new Map(files), directories }, diagnostics, ...(loss !== undefined && { loss }) }
}

type Kept = {
  readonly inputs: readonly Input[]
  readonly files: readonly (readonly [path: string, hash: string])[]
  readonly directories: readonly string[]
  readonly said: readonly Omit<Diagnostic, 'severity'>[]
  readonly loss?: string
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function isUrl(location: string): boolean {
  return /^[a-z][a-z\d+.-]+:/i.test(location)
}

async function read(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path)
  } catch {
    return undefined
  }
}
