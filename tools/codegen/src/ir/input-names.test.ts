import fc from 'fast-check'
import { expect, it } from 'vitest'
import { build, withOperation } from '../../test/documents.js'
import type { Operation } from './api.js'

const places = ['query', 'header', 'cookie'] as const
const names = [
  'id',
  'Id',
  'query-id',
  'queryId',
  'headerId',
  'headerHeaderId',
  'body',
  'contentType',
  'requestBody',
  'X-Id',
]

type DeclaredParameter = { readonly in: (typeof places)[number]; readonly name: string }

const parameters = fc.uniqueArray(
  fc.record({ in: fc.constantFrom(...places), name: fc.constantFrom(...names) }),
  {
    selector: ({ in: place, name }) => `${place} ${place === 'header' ? name.toLowerCase() : name}`,
    maxLength: 8,
  },
)
const fields = fc.subarray(names)

async function buildOperation(
  declared: readonly DeclaredParameter[],
  properties: readonly string[] | undefined,
): Promise<Operation> {
  const schema = {
    type: 'object',
    properties: Object.fromEntries((properties ?? []).map((name) => [name, {}])),
  }
  const { operations } = await build(
    withOperation({
      parameters: declared.map((one) => ({ ...one, schema: {} })),
      ...(properties !== undefined && {
        requestBody: { content: { 'application/json': { schema } } },
      }),
    }),
  )
  return operations[0] ?? expect.fail('no operation')
}

/** Where each input is given: parameters by place and name, fields of the body by name. */
function locateInputs({ parameters: all, body }: Operation): ReadonlyMap<string, string> {
  const content = body?.contents[0]
  return new Map([
    ...all.map(({ in: place, name, field }) => [`${place} ${name}`, field] as const),
    ...(content?.fields ?? []).map(
      (name) =>
        [`body ${name}`, content?.nested.includes(name) ? `requestBody.${name}` : name] as const,
    ),
  ])
}

it('no body field renames another input, for any document', async () => {
  await fc.assert(
    fc.asyncProperty(
      parameters,
      fields,
      fc.constantFrom(...names),
      async (declared, given, more) => {
        const before = locateInputs(
          await buildOperation(declared, given.length === 0 ? undefined : given),
        )
        const after = locateInputs(await buildOperation(declared, [...new Set([...given, more])]))
        for (const [input, field] of before)
          expect([input, after.get(input)]).toEqual([input, field])
      },
    ),
    { numRuns: 60 },
  )
})

it('no two inputs share a field', async () => {
  await fc.assert(
    fc.asyncProperty(parameters, fields, async (declared, given) => {
      const all = [...locateInputs(await buildOperation(declared, given)).values()]
      expect(new Set(all).size).toBe(all.length)
    }),
    { numRuns: 60 },
  )
})

it('no parameter takes the name of another that is unchanged', async () => {
  const declared = [
    { in: 'header', name: 'id' },
    { in: 'query', name: 'id' },
    { in: 'cookie', name: 'headerId' },
  ] as const
  expect([...locateInputs(await buildOperation(declared, undefined)).values()]).toEqual([
    'headerHeaderId',
    'id',
    'headerId',
  ])
})
