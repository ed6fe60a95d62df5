import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Arguments } from '@farebox/command-line'
import { installPackage } from '@farebox/testing/install-package'
import { computeMedian, root, showTable } from './measure.js'
import { measureProcess, type ProcessMeasurement } from './measure-process.js'
import { openApiDirectory } from './openapi-directory.js'
import { installPeer, peerVersions } from './peer-versions.js'

/** The most that a comparison may take, in times of `redocly diff`. */
const maxRatio = 0.3

/** Versions of GitHub's REST document: far apart, neighbours, and one beside itself. */
const pairs = [
  ['19.1.0', '23.0.2'],
  ['23.0.1', '23.0.2'],
  ['23.0.2', '23.0.2'],
] as const

/**
 * What it takes to compare two versions of GitHub's document, and two of one in which thousands of
 * operations share the schemas that differ, beside `redocly diff`: the processor time of the whole
 * process, with that of the system. The two take turns, and the first of several rounds does not
 * count.
 */
export async function benchmarkChanges(args: Arguments): Promise<void> {
  const most = args.integer('runs', 1, 100) ?? 5
  const table: Record<string, object> = {}
  const ratios: Record<string, object> = {}
  const cases = [
    ...pairs.map(([older, newer]) => ({
      name: `${older} and ${newer}`,
      documents: [older, newer].map(findDocument),
      runs: most + 1,
    })),
    // it takes minutes
    { name: 'Microsoft Graph, edited', documents: editGraph(), runs: 1 },
  ]
  for (const { name, documents, runs } of cases) {
    const found: Record<'ours' | 'redocly', ProcessMeasurement[]> = { ours: [], redocly: [] }
    for (let run = 0; run < runs; run++) {
      const [ours, redocly] = [diffOurs(documents), diffRedocly(documents)]
      if (run === 0 && runs > 1) continue
      found.ours.push(ours)
      found.redocly.push(redocly)
    }
    const [ours, redocly] = [summarize(found.ours), summarize(found.redocly)]
    table[`farebox-spec-diff: ${name}`] = ours
    table[`redocly diff ${peerVersions['@redocly/cli']}: ${name}`] = redocly
    ratios[`CPU to redocly: ${name}`] = { is: round(ours.CPU / redocly.CPU), aim: maxRatio }
    ratios[`memory to redocly: ${name}`] = { is: round(ours.MB / redocly.MB), aim: 1 }
  }
  showTable(table, args.has('save') && 'changes')
  console.table(ratios)
}

function findDocument(version: string): string {
  return join(installPackage('@octokit/openapi', version), 'generated/api.github.com.json')
}

/** Microsoft Graph, and the same with a limit for a string in each third schema. */
function editGraph(): readonly string[] {
  const document = join(openApiDirectory(), 'microsoft.com/graph.json')
  const api = JSON.parse(readFileSync(document, 'utf8')) as {
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  }
  const strings = Object.values(api.components.schemas).flatMap(({ properties, allOf }) =>
    Object.values(properties ?? allOf?.[1]?.properties ?? {})
      .filter(({ type }) => type === 'string')
      .slice(0, 1),
  )
  for (const [index, property] of strings.entries()) if (index % 3 === 0) property.maxLength = 100
  const edited = join(mkdtempSync(join(tmpdir(), 'changes-')), 'graph.json')
  writeFileSync(edited, JSON.stringify(api))
  return [document, edited]
}

type Schema = {
  readonly type?: string
  maxLength?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly allOf?: readonly Schema[]
}

function diffOurs(documents: readonly string[]): ProcessMeasurement {
  return expectDone(
    'farebox-spec-diff',
    measureProcess([join(root, 'tools/spec-diff/dist/bin.js'), ...documents], root),
  )
}

function diffRedocly(documents: readonly string[]): ProcessMeasurement {
  const cli = join(installPeer('@redocly/cli', ['typescript@5.9.3']), 'bin/cli.js')
  return expectDone(
    'redocly diff',
    measureProcess([cli, 'diff', ...documents, '--fail-on=none'], root),
  )
}

function expectDone(name: string, run: ProcessMeasurement): ProcessMeasurement {
  if (run.status !== 0) throw new Error(`${name} failed:\n${run.output.slice(-2000)}`)
  return run
}

function summarize(runs: readonly ProcessMeasurement[]) {
  return {
    CPU: round(computeMedian(runs.map(({ cpu, system }) => cpu + system))),
    'least CPU': round(Math.min(...runs.map(({ cpu, system }) => cpu + system))),
    'wall, s': round(computeMedian(runs.map(({ wall }) => wall))),
    MB: Math.round(computeMedian(runs.map(({ memory }) => memory))),
  }
}

function round(number: number): number {
  return Math.round(number * 100) / 100
}
