import { relative } from 'node:path'
import { compareContracts } from '@farebox/spec-diff'
import { expect, it } from 'vitest'
import {
  createConsumer,
  listErrors,
  generateInto,
  findMarkedLines,
  loadProgram,
  writeSpec,
} from '../../test/consumer.js'
import { changes, readWorkshop } from '../../test/workshop.js'
import { findFixes } from '../fix/find-fixes.js'
import { findImpact } from './find-impact.js'

const outputs = ['server', 'arbitraries', 'msw', 'queries']

it('finds the lines that use queries and mocks, and which of them still compile', async () => {
  const consumer = await createConsumer('adapters', 'adapters')
  await generateInto(consumer, readWorkshop(), outputs)
  const program = loadProgram(consumer)
  expect(await listErrors(consumer)).toEqual([])

  const marks = findMarkedLines(consumer)
  const base = await writeSpec(consumer, readWorkshop(), 'base')
  const breaking = new Set<string>()
  for (const [name, lines] of marks) {
    const head = await writeSpec(consumer, readWorkshop(changes[name]), name)
    const { touches } = findImpact({ changes: compareContracts(base, head), base, head, program })
    const found = touches.map(({ file, line, compiler }) => ({
      place: `${relative(consumer.root, file)}:${line}`,
      compiler,
    }))
    expect([name, [...new Set(found.map(({ place }) => place))].toSorted()]).toEqual([
      name,
      lines.toSorted(),
    ])
    for (const { place, compiler } of found)
      if (compiler && name !== 'note gone') breaking.add(place)
  }

  // the compiler reports one error of an object, so one of its changes stays away
  const names = [...marks.keys()].filter((name) => name !== 'note gone')
  const all = readWorkshop((document) => names.forEach((name) => changes[name]?.(document)))
  const head = await writeSpec(consumer, all, 'all')
  const { edits } = findFixes({ changes: compareContracts(base, head), base, head, program })
  expect(
    edits.map(({ file, line, reason }) => `${relative(consumer.root, file)}:${line} ${reason}`),
  ).toEqual([
    'src/mocks.ts:12 required now: owner',
    'src/mocks.ts:25 required now: owner',
    'src/queries.ts:33 required now: locale',
  ])
  await generateInto(consumer, all, outputs)
  const follows = [...findMarkedLines(consumer, 'follows').values()].flat()
  const errors = await listErrors(consumer)
  expect([...new Set(errors)].filter((place) => !follows.includes(place)).toSorted()).toEqual(
    [...breaking].toSorted(),
  )
})
