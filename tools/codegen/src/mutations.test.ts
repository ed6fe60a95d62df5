import { readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { withFiles } from '../test/documents.js'
import { smallDocument } from '../test/small-api.js'
import type { Json } from './document/json.js'
import { emitters } from './emitters/index.js'
import { generate } from './pipeline/generate.js'
import { folder } from './pipeline/target.js'
import { countRounds } from '../../internal/testing/src/rounds.js'

type Parent = Record<string, Json>

const examples = dirname(
  createRequire(import.meta.url).resolve('@readme/oas-examples/package.json'),
)
const read = async (path: string): Promise<Json> => parse(await readFile(path, 'utf8')) as Json
const files = await Promise.all([
  read(join(examples, '2.0/json/petstore-simple.json')),
  read(join(examples, '3.0/json/callbacks.json')),
  read(join(examples, '3.1/json/train-travel.json')),
  read(fileURLToPath(new URL('../../../spec/openapi.yaml', import.meta.url))),
])
const documents = [...files, parse(smallDocument) as Json]

/** Names with a meaning of their own, for OpenAPI, for JavaScript or for a path. */
const names = fc.constantFrom(
  '',
  '__proto__',
  'constructor',
  'toString',
  'x-y',
  '1',
  'default',
  'type',
  '$ref',
  'é',
  '/x/{y}',
  'a b',
)
const values: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json[]>(null, true, -1, 1.5, '', 'x', '*/', '#/x', [], {}, [null], [{}], [[]]),
  fc.constantFrom<Json[]>(
    { $ref: '#' },
    { $ref: 1 },
    { $ref: '#/components/schemas/None' },
    { '': {} },
    { allOf: [] },
    { oneOf: [{}] },
  ),
  fc.constantFrom<Json[]>(
    { enum: [] },
    { enum: [null] },
    { type: [] },
    { type: ['string', 'null'] },
    { constructor: {} },
  ),
)
const change = fc.oneof(
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('rename' as const), at: fc.nat(), name: names }),
  fc.record({ kind: fc.constant('copy' as const), at: fc.nat(), from: fc.nat() }),
  fc.record({ kind: fc.constant('replace' as const), at: fc.nat(), value: values }),
)

/** Every member of every object and list of a document. */
function listMembers(value: Json): readonly (readonly [Parent, string])[] {
  const members: (readonly [Parent, string])[] = []
  const stack = [value]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next !== 'object' || next === null) continue
    for (const [key, inner] of Object.entries(next)) {
      members.push([next as Parent, key])
      stack.push(inner)
    }
  }
  return members
}

function mutate(
  document: Json,
  changes: readonly (typeof change extends fc.Arbitrary<infer T> ? T : never)[],
): Json {
  const copy = structuredClone(document)
  for (const one of changes) {
    const members = listMembers(copy)
    const [parent, key] = members[one.at % members.length] ?? [{}, '']
    const value = parent[key] ?? null
    if (one.kind === 'replace') parent[key] = structuredClone(one.value)
    if (one.kind === 'copy') {
      const [other, name] = members[one.from % members.length] ?? [{}, '']
      parent[key] = structuredClone(other[name] ?? null)
    }
    if (one.kind === 'remove' || (one.kind === 'rename' && !Array.isArray(parent)))
      delete parent[key]
    if (one.kind === 'rename')
      Object.defineProperty(parent, one.name, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      })
  }
  return copy
}

it('a document that is damaged in a few places is generated or rejected, and never crashes the generator', async () => {
  await withFiles({}, async (cwd) => {
    const damaged = fc.tuple(
      fc.constantFrom(...documents),
      fc.array(change, { minLength: 1, maxLength: 3 }),
    )
    await fc.assert(
      fc.asyncProperty(damaged, async ([document, changes]) => {
        const text = JSON.stringify(mutate(document, changes))
        const read = async function* () {
          yield Buffer.from(text)
        }
        const { status } = await generate({
          spec: '-',
          cwd,
          emitters,
          target: folder('out', 'make'),
          input: { stdin: read() },
        })
        expect(['written', 'faulty']).toContain(status)
        await rm(join(cwd, 'out'), { recursive: true, force: true })
      }),
      { numRuns: countRounds(100) },
    )
  })
})
