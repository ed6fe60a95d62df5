import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { compareContracts } from '@farebox/spec-diff'
import type ts from 'typescript'
import { beforeAll, expect, it } from 'vitest'
import type { Document } from 'yaml'
import {
  createConsumer,
  listErrors,
  generateInto,
  loadProgram,
  writeSpec,
  type Consumer,
} from '../../test/consumer.js'
import { readWorkshop, type Change } from '../../test/workshop.js'
import { findFixes } from './find-fixes.js'
import { rewrite, createDiff } from './edit.js'

const listJobs = ['paths', '/jobs', 'get', 'parameters'] as const

const moveToHeader = (document: Document, index: number) =>
  document.setIn([...listJobs, index, 'in'], 'header')

const changes: Readonly<Record<'each elsewhere' | 'both into the header', Change>> = {
  'each elsewhere': (document) => {
    moveToHeader(document, 1)
    document.deleteIn(['paths', '/jobs', 'post', 'parameters'])
    document.setIn(['components', 'schemas', 'JobRequest', 'properties', 'dryRun'], {
      type: 'boolean',
    })
    document.addIn(['components', 'schemas', 'JobRequest', 'required'], 'dryRun')
  },
  'both into the header': (document) => [0, 1].forEach((index) => moveToHeader(document, index)),
}

let consumer: Consumer

beforeAll(async () => {
  consumer = await createConsumer('moves', 'moves')
  await generateInto(consumer, readWorkshop(), ['server'])
})

async function fixChange(name: keyof typeof changes, program: ts.Program) {
  const [base, head] = [
    await writeSpec(consumer, readWorkshop(), 'base'),
    await writeSpec(consumer, readWorkshop(changes[name]), 'head'),
  ]
  const { edits, left } = findFixes({ changes: compareContracts(base, head), base, head, program })
  return {
    files: rewrite(edits, consumer.root),
    left: left.map(({ file, line }) => `${relative(consumer.root, file)}:${line}`),
  }
}

it('moves parameters in calls by path and in handlers, except those without an explicit location', async () => {
  const program = loadProgram(consumer)
  const both = await fixChange('both into the header', program)
  await expect(await createDiff(both.files)).toMatchFileSnapshot(
    '../../fixtures/fixes/two-moved-parameters.diff',
  )
  expect(both.left).toEqual([
    'src/calls.ts:37',
    'src/calls.ts:39',
    'src/handlers.ts:5',
    'src/handlers.ts:6',
  ])

  const { files, left } = await fixChange('each elsewhere', program)
  await expect(await createDiff(files)).toMatchFileSnapshot(
    '../../fixtures/fixes/moved-parameters.diff',
  )
  expect(left).toEqual(['src/calls.ts:37', 'src/handlers.ts:5'])
  for (const { path, after } of files) writeFileSync(join(consumer.root, path), after)
  expect((await fixChange('each elsewhere', loadProgram(consumer))).files).toEqual([])
  await generateInto(consumer, readWorkshop(changes['each elsewhere']), ['server'])
  const errors = await listErrors(consumer)
  expect([...new Set(errors)]).toEqual(['src/calls.ts:38', 'src/handlers.ts:5'])
})
