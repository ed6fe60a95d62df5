import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { compareContracts } from '@farebox/spec-diff'
import { describe, expect, it } from 'vitest'
import { createConsumer, errorsIn, generateInto, writeSpec, type Consumer } from '../../test/consumer.js'
import { changes, renames, workshop, type Change } from '../../test/workshop.js'
import { readProgram } from '../read-program.js'
import { findFixes, type Fixes } from './find-fixes.js'
import { rewrite } from './rewrite.js'
import { unifiedDiff, type Rewritten } from './unified-diff.js'

/** The consumers with the generated code of the older version. */
async function consumerOf(name: string): Promise<Consumer> {
  const consumer = await createConsumer(`fix ${name}`)
  await generateInto(consumer, workshop())
  return consumer
}

async function fixesOf(consumer: Consumer, change: Change): Promise<Fixes> {
  const [base, head] = [await writeSpec(consumer, workshop(), 'base'), await writeSpec(consumer, workshop(change), 'head')]
  return findFixes({ changes: compareContracts(base, head), base, head, program: readProgram(consumer.project) })
}

function write({ root }: Consumer, files: readonly Rewritten[]): void {
  for (const { path, after } of files) writeFileSync(join(root, path), after)
}

/** The lines of places whose change takes something away. */
function linesOf({ root }: Consumer, left: Fixes['left'], kind: string): readonly string[] {
  return left.filter(({ change }) => change.code.endsWith(kind)).map(({ file, line }) => `${relative(root, file)}:${line}`)
}

/** Generates the newer code, and gives the lines that do not compile with it. */
async function errorsAfter(consumer: Consumer, change: Change): Promise<readonly string[]> {
  await generateInto(consumer, workshop(change))
  return errorsIn(consumer, readProgram(consumer.project)).map(({ place }) => place)
}

/** Lines that stay, and the lines with an error for that reason. */
const notCertain: Readonly<Record<string, { readonly left: readonly string[]; readonly errors: readonly string[] }>> = {
  // calls by path name the old path
  'an operation that moved': { left: ['src/wrappers.ts:37'], errors: ['src/wrappers.ts:37'] },
  // an object of the consumer's own, which other code may read
  'properties that say so': { left: ['src/destructured.ts:41'], errors: ['src/destructured.ts:45'] },
}

describe('renames', () => {
  it.for(Object.entries(renames))('%s', async ([name, change]) => {
    const consumer = await consumerOf(name)
    const { edits, left } = await fixesOf(consumer, change)
    const files = rewrite(edits, consumer.root)
    await expect(await unifiedDiff(files)).toMatchFileSnapshot(`../../fixtures/fixes/${name.replaceAll(' ', '-')}.diff`)
    write(consumer, files)
    expect((await fixesOf(consumer, change)).edits).toEqual([])
    const { [name]: expected = { left: [], errors: [] } } = notCertain
    expect(linesOf(consumer, left, 'removed')).toEqual(expected.left)
    expect(await errorsAfter(consumer, change)).toEqual(expected.errors)
  })
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

it('adds a case that throws to each switch that names every value', async () => {
  const change: Change = (document) => {
    changes['paused']?.(document)
    document.addIn(['components', 'schemas', 'JobStatus', 'enum'], 'can\'t "start"')
  }
  const consumer = await consumerOf('cases')
  const { edits, left } = await fixesOf(consumer, change)
  const files = rewrite(edits, consumer.root)
  await expect(await unifiedDiff(files)).toMatchFileSnapshot('../../fixtures/fixes/new-values.diff')
  expect(linesOf(consumer, left, 'widened')).toEqual(otherBranches)
  write(consumer, files)
  expect((await fixesOf(consumer, change)).edits).toEqual([])
  expect(await errorsAfter(consumer, change)).toEqual(['src/derived.ts:26', 'src/typed.ts:39'])
})

/** Calls that have no object to fill: without an input, and with a variable. */
const withoutObject = {
  before: ['src/destructured.ts:45', 'src/inline.ts:34', 'src/reexports.ts:7', 'src/wrappers.ts:42'],
  after: ['src/destructured.ts:45', 'src/inline.ts:36', 'src/reexports.ts:7', 'src/wrappers.ts:44'],
}

function linesWith(files: readonly Rewritten[], text: string): readonly string[] {
  const lines = files.flatMap(({ path, after }) => after.split('\n').map((line, index) => ({ line, place: `${path}:${index + 1}` })))
  return lines.filter(({ line }) => line.includes(text)).map(({ place }) => place)
}

it('fills in required fields with placeholders that do not compile', async () => {
  const change: Change = (document) => {
    changes['locale required']?.(document)
    document.setIn(['components', 'schemas', 'JobRequest', 'properties', 'max-size'], {})
    document.addIn(['components', 'schemas', 'JobRequest', 'required'], 'max-size')
    document.addIn(['paths', '/jobs', 'get', 'parameters'], { name: 'owner', in: 'query', required: true, schema: { type: 'string' } })
  }
  const consumer = await consumerOf('fields')
  const { edits, left } = await fixesOf(consumer, change)
  const files = rewrite(edits, consumer.root)
  await expect(await unifiedDiff(files)).toMatchFileSnapshot('../../fixtures/fixes/required-fields.diff')
  write(consumer, files)
  expect((await fixesOf(consumer, change)).edits).toEqual([])
  expect(new Set(linesOf(consumer, left, 'added'))).toEqual(new Set(withoutObject.before))
  const placeholders = linesWith(files, 'farebox-impact: fill in')
  expect(new Set(await errorsAfter(consumer, change))).toEqual(new Set([...placeholders, ...withoutObject.after]))
})
