import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { compareContracts } from '@farebox/spec-diff'
import { expect, it } from 'vitest'
import { Document } from 'yaml'
import {
  createConsumer,
  listErrors,
  generateInto,
  loadProgram,
  writeSpec,
} from '../../test/consumer.js'
import { findImpact } from '../find/find-impact.js'
import { findFixes } from './find-fixes.js'
import { rewrite } from './edit.js'

/** A response that is JSON or text. */
function createDocument(count: string) {
  const properties = { text: { type: 'string' }, [count]: { type: 'number' } }
  const Parsed = {
    type: 'object',
    required: Object.keys(properties),
    properties: {
      ...properties,
      ...(count === 'tokenCount' && {
        [count]: { type: 'number', 'x-renamed-from': 'tokens' },
      }),
    },
  }
  const schema = { $ref: '#/components/schemas/Parsed' }
  const content = { 'application/json': { schema }, 'text/plain': { schema: { type: 'string' } } }
  const get = { operationId: 'parse', responses: { 200: { description: 'Parsed.', content } } }
  return new Document({
    openapi: '3.1.0',
    info: { title: 'Parser', version: '1' },
    paths: { '/parsed': { get } },
    components: { schemas: { Parsed } },
  })
}

it('leaves places that do not compile after the edits to the user, and changes nothing else', async () => {
  const consumer = await createConsumer('own objects', 'own-objects')
  const path = join(consumer.root, 'src/keys.ts')
  await generateInto(consumer, createDocument('tokens'))
  expect(await listErrors(consumer)).toEqual([])
  const [base, head] = [
    await writeSpec(consumer, createDocument('tokens'), 'base'),
    await writeSpec(consumer, createDocument('tokenCount'), 'head'),
  ]
  const options = {
    changes: compareContracts(base, head),
    base,
    head,
    program: loadProgram(consumer),
  }
  const listMarked = (word: string) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, index) => (line.endsWith(`// ${word}`) ? [index + 1] : []))
  const places = (all: readonly { readonly file: string; readonly line: number }[]) => {
    expect(new Set(all.map(({ file }) => relative(consumer.root, file)))).toEqual(
      new Set(['src/keys.ts']),
    )
    return [...new Set(all.map(({ line }) => line))]
  }
  const [left, edited] = [listMarked('left'), listMarked('edited')]
  expect(places(findImpact(options).touches)).toEqual(
    [...left, ...edited].toSorted((a, b) => a - b),
  )
  const fixes = findFixes(options)
  expect(places(fixes.left)).toEqual(left)
  expect(places(fixes.edits)).toEqual(expect.arrayContaining(edited))
  for (const { path: name, after } of rewrite(fixes.edits, consumer.root))
    writeFileSync(join(consumer.root, name), after)
  await generateInto(consumer, createDocument('tokenCount'))
  expect(await listErrors(consumer)).toEqual(left.map((line) => `src/keys.ts:${line}`))
})
