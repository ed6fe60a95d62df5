import { beforeAll, describe, expect, it } from 'vitest'
import { smallApi } from '../../test/small-api.js'
import { renderFile } from '../emit/render.js'
import { table } from './table.js'

let text = ''

/** The declaration that begins with a text, up to the next empty line. */
function block(start: string): readonly string[] {
  const found = text.split('\n\n').find((part) => part.includes(start))
  return found?.split('\n') ?? []
}

beforeAll(async () => {
  const files = table.emit(await smallApi())
  expect(files.map(({ path }) => path)).toEqual(['index.ts'])
  for (const file of files)
    text = renderFile(file, { banner: '// banner', resolve: (module) => module })
})

describe('the operation table', () => {
  it('says of an operation what a program may decide by, and leaves samples out', () => {
    expect(block('export const getPet =')).toEqual([
      '/** One pet */',
      'export const getPet = {',
      "  id: 'getPet',",
      "  method: 'GET',",
      "  path: '/pets/{id}',",
      "  tags: ['Pets'],",
      "  security: [['key']],",
      '  idempotent: true,',
      "  rateLimit: 'slow',",
      "  defaults: { fields: ['a'] },",
      '  parameters: [',
      "    { name: 'id', field: 'id', in: 'path', required: true, style: 'simple', explode: false, type: 'string' },",
      '    {',
      "      name: 'X-Key',",
      "      field: 'xKey',",
      "      in: 'header',",
      '      required: true,',
      "      style: 'simple',",
      '      explode: false,',
      "      type: 'string',",
      '      credential: true,',
      '    },',
      '    {',
      "      name: 'fields',",
      "      field: 'fields',",
      "      in: 'query',",
      '      required: false,',
      "      style: 'pipeDelimited',",
      '      explode: false,',
      "      type: 'array',",
      '    },',
      '  ],',
      '  responses: {',
      "    '200': { contentTypes: ['application/json'], kind: 'json' },",
      "    '404': { contentTypes: ['application/json'], kind: 'json' },",
      '  },',
      '} as const',
    ])
  })

  it('gives an extension that is named like a fact another name', () => {
    expect(block('export const addPet =')).toContain("  id2: 'shadow',")
  })

  it('leaves fields that only come out of the body, and says how a mixed answer reads', () => {
    expect(block('export const addPet =').slice(-16)).toEqual([
      "  defaults: { name: 'Rex' },",
      '  parameters: [],',
      '  body: {',
      '    required: true,',
      "    contentType: 'application/json',",
      "    contentTypes: ['application/json'],",
      "    flatten: 'fields',",
      "    fields: ['name'],",
      '  },',
      '  responses: {',
      "    '201': { contentTypes: ['application/json', 'text/csv'], kind: 'mixed', kinds: ['json', 'text'] },",
      "    '204': { contentTypes: [], kind: 'empty' },",
      "    '4XX': { contentTypes: ['application/json'], kind: 'json' },",
      "    default: { contentTypes: ['text/plain'], kind: 'text' },",
      '  },',
      '} as const',
    ])
  })

  it('says which fields of a form take files', () => {
    expect(block('export const file =')).toContain("    files: ['photo', 'more'],")
  })

  it('has a body whole when the client has no way to write its fields', () => {
    expect(block('export const sendXml =')).toContain(
      "  body: { required: true, contentType: 'application/xml', contentTypes: ['application/xml'], flatten: 'body' },",
    )
  })

  it('lists the operations and the tables of the document', () => {
    expect(block('export const operations =')).toEqual([
      '/** Every operation by its id. */',
      'export const operations = {',
      '  getPet,',
      '  addPet,',
      '  file,',
      '  sendXml,',
      '} as const',
    ])
    expect(block('export const limits')).toEqual([
      '/** `x-limits` of the document. */',
      'export const limits = { free: 10, paid: 100 } as const',
    ])
  })
})
