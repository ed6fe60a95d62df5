import { cpSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { compareContracts } from '@farebox/spec-diff'
import { deepTest, countRounds } from '../../../internal/testing/src/rounds.js'
import type ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createConsumer,
  listErrors,
  generateInto,
  loadProgram,
  writeSpec,
  type Consumer,
} from '../../test/consumer.js'
import { changes, renames, readWorkshop, type Change } from '../../test/workshop.js'
import { findFixes, type Fixes } from './find-fixes.js'
import { rewrite, createDiff, type Rewritten } from './edit.js'

/** The consumers with the generated code of the older version, which nothing edits. */
let older: Consumer
let program: ts.Program
beforeAll(async () => {
  older = await createConsumer('fix')
  await generateInto(older, readWorkshop())
  program = loadProgram(older)
})

async function fixChange(change: Change, read: ts.Program = program): Promise<Fixes> {
  const [base, head] = [
    await writeSpec(older, readWorkshop(), 'base'),
    await writeSpec(older, readWorkshop(change), 'head'),
  ]
  return findFixes({ changes: compareContracts(base, head), base, head, program: read })
}

/** The same consumers after the edits. */
async function applyFixes(name: string, files: readonly Rewritten[]): Promise<Consumer> {
  const consumer = await createConsumer(`fix ${name}`)
  cpSync(join(older.root, 'src'), join(consumer.root, 'src'), { recursive: true })
  for (const { path, after } of files) writeFileSync(join(consumer.root, path), after)
  return consumer
}

/** The lines of places whose change takes something away. */
function listLines(left: Fixes['left'], kind: string): readonly string[] {
  return left
    .filter(({ change }) => change.code.endsWith(kind))
    .map(({ file, line }) => `${relative(older.root, file)}:${line}`)
}

/** Generates the newer code, and gives the lines that do not compile with it. */
async function listErrorsAfter(consumer: Consumer, change: Change): Promise<readonly string[]> {
  await generateInto(consumer, readWorkshop(change))
  return listErrors(consumer)
}

/** Lines that stay, and the lines with an error for that reason. */
const notCertain: Readonly<
  Record<string, { readonly left: readonly string[]; readonly errors: readonly string[] }>
> = {
  // calls by path name the old path
  'an operation that moved': { left: ['src/wrappers.ts:37'], errors: ['src/wrappers.ts:37'] },
  // an object of the consumer's own, which other code may read, and one beside a response
  'properties that say so': {
    left: ['src/destructured.ts:41', 'src/destructured.ts:45', 'src/joined.ts:8'],
    errors: ['src/destructured.ts:45', 'src/joined.ts:8'],
  },
}

describe('renames', () => {
  it.for(Object.entries(renames).slice(0, countRounds(Object.keys(renames).length)))(
    '%s',
    async ([name, change]) => {
      const { edits, left } = await fixChange(change)
      const files = rewrite(edits, older.root)
      await expect(await createDiff(files)).toMatchFileSnapshot(
        `../../fixtures/fixes/${name.replaceAll(' ', '-')}.diff`,
      )
      const consumer = await applyFixes(name, files)
      expect((await fixChange(change, loadProgram(consumer))).edits).toEqual([])
      const { [name]: expected = { left: [], errors: [] } } = notCertain
      expect(listLines(left, 'removed')).toEqual(expected.left)
      expect(await listErrorsAfter(consumer, change)).toEqual(expected.errors)
    },
  )
})

/** Comparisons, records, and switches that leave values to `default`. */
const otherBranches = [
  'derived.ts:22',
  'derived.ts:26',
  'destructured.ts:16',
  'destructured.ts:30',
  'inline.ts:23',
  'inline.ts:45',
  'reexports.ts:11',
  'switches.ts:30',
  'typed.ts:39',
  'typed.ts:45',
  'typed.ts:49',
].map((place) => `src/${place}`)

deepTest('adds a case that throws to each switch that names every value', async () => {
  const change: Change = (document) => {
    changes['paused']?.(document)
    document.addIn(['components', 'schemas', 'JobStatus', 'enum'], 'can\'t "start"')
  }
  const { edits, left } = await fixChange(change)
  const files = rewrite(edits, older.root)
  await expect(await createDiff(files)).toMatchFileSnapshot('../../fixtures/fixes/new-values.diff')
  expect(listLines(left, 'widened')).toEqual(otherBranches)
  const consumer = await applyFixes('cases', files)
  expect((await fixChange(change, loadProgram(consumer))).edits).toEqual([])
  expect(await listErrorsAfter(consumer, change)).toEqual(['src/derived.ts:26', 'src/typed.ts:39'])
})

/** Calls that have no object to fill: without an input, and with a variable. */
const withoutObject = {
  before: [
    'src/destructured.ts:45',
    'src/inline.ts:34',
    'src/reexports.ts:7',
    'src/wrappers.ts:42',
  ],
  after: ['src/destructured.ts:45', 'src/inline.ts:36', 'src/reexports.ts:7', 'src/wrappers.ts:44'],
}

function findLines(files: readonly Rewritten[], text: string): readonly string[] {
  const lines = files.flatMap(({ path, after }) =>
    after.split('\n').map((line, index) => ({ line, place: `${path}:${index + 1}` })),
  )
  return lines.filter(({ line }) => line.includes(text)).map(({ place }) => place)
}

deepTest('fills in required fields with placeholders that do not compile', async () => {
  const change: Change = (document) => {
    changes['locale required']?.(document)
    document.setIn(['components', 'schemas', 'JobRequest', 'properties', 'max-size'], {})
    document.addIn(['components', 'schemas', 'JobRequest', 'required'], 'max-size')
    document.addIn(['paths', '/jobs', 'get', 'parameters'], {
      name: 'owner',
      in: 'query',
      required: true,
      schema: { type: 'string' },
    })
  }
  const { edits, left } = await fixChange(change)
  const files = rewrite(edits, older.root)
  await expect(await createDiff(files)).toMatchFileSnapshot(
    '../../fixtures/fixes/required-fields.diff',
  )
  const consumer = await applyFixes('fields', files)
  expect((await fixChange(change, loadProgram(consumer))).edits).toEqual([])
  expect(new Set(listLines(left, 'added'))).toEqual(new Set(withoutObject.before))
  const placeholders = findLines(files, 'farebox-impact: fill in')
  expect(new Set(await listErrorsAfter(consumer, change))).toEqual(
    new Set([...placeholders, ...withoutObject.after]),
  )
})
