import { describe, expect, it } from 'vitest'
import { diagnose, load } from '../../test/documents.js'
import { buildApi } from '../ir/build.js'
import { valueAt } from './json.js'

const nested = { '': { $defs: { '': { type: 'number' } } } }
const createDocument = (schemas: object, rest: object = {}): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Test', version: '1' },
    paths: {},
    components: { schemas },
    ...rest,
  })

async function describeKind(
  name: string,
  text: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  const { document: loaded } = await load({ 'openapi.json': text, ...more }, {}, 'openapi.json')
  const api = loaded && buildApi(loaded).api
  const schema = api?.schemas.find((one) => one.key === name)?.schema
  return schema?.kind === 'ref'
    ? api?.schemas.find((one) => one.name === schema.name)?.schema.kind
    : schema?.kind
}

describe('a pointer whose tokens are empty (RFC 6901, section 5)', () => {
  it.each([
    [
      'within a schema that has an $id',
      createDocument({
        A: { $id: 'https://a.example', $defs: nested, allOf: [{ $ref: '#/$defs//$defs/' }] },
      }),
    ],
    [
      'of the whole document',
      createDocument({ A: { $ref: '#/$defs//$defs/' } }, { $defs: nested }),
    ],
    [
      'within a component',
      createDocument({ A: { $ref: '#/components/schemas/B/$defs//$defs/' }, B: { $defs: nested } }),
    ],
    [
      'that names a component',
      createDocument({ A: { $ref: '#/components/schemas/' }, '': { type: 'number' } }),
    ],
  ])('leads to its schema %s', async (_, text) => {
    expect(await describeKind('A', text)).toBe('number')
  })

  it('leads to its schema in another file', async () => {
    const other = JSON.stringify({ $defs: nested })
    expect(
      await describeKind('A', createDocument({ A: { $ref: 'other.json#/$defs//$defs/' } }), {
        'other.json': other,
      }),
    ).toBe('number')
  })
})

describe('a token that names an array element', () => {
  it('is a number without leading zeros, and nothing else', () => {
    const list = { list: ['first', 'second'] }
    const found = ['0', '1', '', '00', '1e0', '-0', ' 1', '2', '-'].map((token) =>
      valueAt(list, `/list/${token}`),
    )
    expect(found).toEqual(['first', 'second', ...Array<undefined>(7)])
  })

  it('is rejected if it is not a number, instead of meaning the first', async () => {
    const text = createDocument({
      A: { allOf: [{ type: 'string' }] },
      B: { $ref: '#/components/schemas/A/allOf/' },
    })
    expect(
      (await diagnose({ 'openapi.json': text }, 'openapi.json')).map(({ code }) => code),
    ).toEqual(['FB2001'])
  })
})
