import { dirname, join, relative } from 'node:path'
import { compareContracts, type Contract } from '@farebox/spec-diff'
import { countRounds } from '../../../internal/testing/src/rounds.js'
import type ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createConsumer,
  listErrors,
  generateInto,
  findMarkedLines,
  loadProgram,
  writeSpec,
  type Consumer,
} from '../../test/consumer.js'
import { changes, readWorkshop } from '../../test/workshop.js'
import { findImpact, type Impact } from './find-impact.js'
import { isGenerated } from '../code/generated-code.js'

let consumer: Consumer
let program: ts.Program
let base: Contract

beforeAll(async () => {
  consumer = await createConsumer('workshop')
  await generateInto(consumer, readWorkshop())
  program = loadProgram(consumer)
  // once: several changes are compared with it at a time
  base = await writeSpec(consumer, readWorkshop(), 'base')
})

async function findImpactOfChange(name: string): Promise<Impact> {
  const head = await writeSpec(consumer, readWorkshop(changes[name]), name)
  return findImpact({ changes: compareContracts(base, head), base, head, program })
}

function listMarked(name: string, word?: 'touched' | 'follows'): readonly string[] {
  return findMarkedLines(consumer, word).get(name) ?? []
}

function listLines(touches: Impact['touches']): readonly string[] {
  return [
    ...new Set(touches.map(({ file, line }) => `${relative(consumer.root, file)}:${line}`)),
  ].toSorted()
}

it('the consumers compile against the base version', async () => {
  expect(await listErrors(consumer)).toEqual([])
})

it('every mark names a change', () => {
  expect([...findMarkedLines(consumer).keys()].toSorted()).toEqual(Object.keys(changes).toSorted())
})

describe('each change touches the marked lines and no others', () => {
  it.for(Object.keys(changes))('%s', async (name) => {
    // the operation goes with its schema
    const expected =
      name === 'no report schema'
        ? [...listMarked(name), ...listMarked('no report')]
        : listMarked(name)
    const { touches } = await findImpactOfChange(name)
    expect(listLines(touches)).toEqual([...new Set(expected)].toSorted())
  })
})

/** The files that import generated code, and those that import them. */
function listReaching(): ReadonlySet<string> {
  const files = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(consumer.root))
  const imports = (file: ts.SourceFile): readonly string[] =>
    Array.from(
      file.text.matchAll(/ from '(\.[^']*)\.js'/g),
      ([, to = '']) => `${join(dirname(file.fileName), to)}.ts`,
    )
  const found = new Set(files.filter(isGenerated).map(({ fileName }) => fileName))
  for (let before = -1; before < found.size;) {
    before = found.size
    for (const file of files)
      if (imports(file).some((to) => found.has(to))) found.add(file.fileName)
  }
  return found
}

it('no change touches a file that does not use the generated code', () => {
  const reaching = listReaching()
  expect(reaching.has(join(consumer.root, 'src/unrelated.ts'))).toBe(false)
  const files = [...findMarkedLines(consumer).values()]
    .flat()
    .map((place) => place.replace(/:\d+$/, ''))
  expect(files.filter((file) => !reaching.has(join(consumer.root, file)))).toEqual([])
})

/** Changes that are compiled together, since their errors stand in different expressions. */
const together = [
  [
    'quality by default',
    'smaller seed',
    'longer list',
    'delete deprecated',
    'stats busy',
    'tags total',
  ],
  ['paused', 'cursor gone', 'no report'],
  ['no tenor', 'note gone'],
  ['loud gone', 'url optional'],
  ['locale required', 'owner always'],
  ['no report schema'],
]

it('every change is compiled', () => {
  expect(together.flat().toSorted()).toEqual(Object.keys(changes).toSorted())
})

describe('the compiler reports the lines of the first kind, with the code of the newer version', () => {
  const compiled = together.slice(0, countRounds(together.length))
  it.for(compiled.map((names) => [names.join(', '), names] as const))('%s', async ([, names]) => {
    const newer = await createConsumer('newer')
    await generateInto(
      newer,
      readWorkshop((document) => names.forEach((name) => changes[name]?.(document))),
    )
    const errors = await listErrors(newer)
    const impacts = await Promise.all(names.map(findImpactOfChange))
    const breaking = listLines(
      impacts.flatMap(({ touches }) => touches.filter(({ compiler }) => compiler)),
    )
    const follows = names.flatMap((name) => listMarked(name, 'follows'))
    expect([...new Set(errors)].filter((place) => !follows.includes(place)).toSorted()).toEqual(
      breaking,
    )
  })
})
