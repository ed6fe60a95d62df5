import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Api } from '@farebox/codegen/model'
import { countRounds } from '../../../internal/testing/src/rounds.js'
import { edits, type Node } from '../../test/edits.js'
import { createBench, type Bench } from '../../test/verdicts.js'
import { createLookup, listNeeds, readPending, findUncovered, writeChangeset } from './changeset.js'
import { compareApi } from '../compare/contracts.js'
import type { Owner } from './owners.js'
import { collectStates, listSteps } from './states.js'
import { packageKeys } from '../change/verdict.js'

let bench: Bench
beforeAll(() => void (bench = createBench()))
afterAll(() => bench.close())

const owners: readonly Owner[] = [...packageKeys, 'document' as const].map((output) => ({
  name: `@trams/${output}`,
  version: '1.0.0',
  outputs: [output],
  manifest: '',
  files: [],
}))

/** What is left to tell of the way between two documents, beside the changesets of a folder. */
async function listMissing(base: Api, head: Api, folder: string) {
  const [before, after] = [collectStates({ api: base }), collectStates({ api: head })]
  const pending = await readPending(folder)
  const left = findUncovered(
    listNeeds(compareApi(base, head), owners, new Set()),
    pending,
    createLookup(pending, before, after),
  )
  return { left, steps: listSteps(before, after) }
}

/** As `--changeset` does: writes what no changeset tells. Its path, if there is anything. */
async function tell(base: Api, head: Api, folder: string): Promise<string | undefined> {
  const { left, steps } = await listMissing(base, head, folder)
  return left.length === 0 ? undefined : writeChangeset(folder, left, steps)
}

async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'spec-diff-changesets-'))
  return work(folder).finally(() => rmSync(folder, { recursive: true }))
}

/** The document after some of the edits, left out where their place is gone. */
const editDocument = (names: readonly string[]) => (document: Node) => {
  for (const name of names) {
    try {
      edits[name]?.(document)
    } catch {
      // an earlier edit has taken the place away
    }
  }
}

it('gives a change the same id from any older version', async () => {
  const at = async (version: string, maximum: number) =>
    bench.api((document) => {
      document['info'].version = version
      document['components'].schemas.NewTram.properties.line.maximum = maximum
    })
  const [first, second, last] = [await at('1', 80), await at('2', 70), await at('3', 60)]
  const ids = (base: Api) => compareApi(base, last).map(({ id }) => id)
  expect(ids(first)).toEqual(ids(second))
  expect(ids(first)).not.toEqual(compareApi(first, second).map(({ id }) => id))
})

it('covers all changes between three versions by the changesets of the two steps, including reverted and repeated ones', async () => {
  const limit = (value: number) => (document: Node) =>
    void (document['components'].schemas.NewTram.properties.line.maximum = value)
  const versions = fc.tuple(
    fc.subarray(Object.keys(edits)),
    fc.constantFrom(50, 99, 120),
    fc.constantFrom('1', '2', '3'),
  )
  const edit = ([names, maximum, version]: readonly [string[], number, string]) => {
    return (document: Node) => {
      limit(maximum)(document)
      document['info'].version = version
      editDocument(names)(document)
    }
  }
  await fc.assert(
    fc.asyncProperty(versions, versions, versions, async (...all) => {
      const read = all.map(async (one) => bench.api(edit(one)).catch(() => undefined))
      const [a, b, c] = await Promise.all(read)
      fc.pre(a !== undefined && b !== undefined && c !== undefined)
      await withFolder(async (folder) => {
        await tell(a, b, folder)
        await tell(b, c, folder)
        const { left } = await listMissing(a, c, folder)
        expect(left.map(({ carried }) => carried.map(({ change }) => change.sentence))).toEqual([])
      })
    }),
    { numRuns: countRounds(60) },
  )
})
