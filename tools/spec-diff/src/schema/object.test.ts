import { describe, expect, it } from 'vitest'
import { build } from '../../../codegen/test/documents.js'
import { compareApi } from '../compare/contracts.js'

const createDocument = (tram: object) => ({
  openapi: '3.1.0',
  info: { title: 'Trams', version: '1' },
  paths: {
    '/trams': {
      post: {
        operationId: 'makeTram',
        requestBody: { required: true, content: { 'application/json': { schema: tram } } },
        responses: {
          200: { description: 'Made', content: { 'application/json': { schema: tram } } },
        },
      },
    },
  },
})
const text = { type: 'string' }
const createTramSchema = (line: unknown, required: readonly string[] = []) => ({
  type: 'object',
  properties: { name: text, line },
  required,
})

describe('a property that one version excludes', () => {
  it.each<[how: string, before: object, after: object, changes: readonly (readonly string[])[]]>([
    [
      'becomes write-only',
      createTramSchema(text),
      createTramSchema({ ...text, writeOnly: true }),
      [['response-property-removed', 'major']],
    ],
    [
      'becomes write-only and was required',
      createTramSchema(text, ['line']),
      createTramSchema({ ...text, writeOnly: true }, ['line']),
      [['response-property-removed', 'major']],
    ],
    [
      'is no longer write-only',
      createTramSchema({ ...text, writeOnly: true }),
      createTramSchema(text),
      [['response-property-added-closed', 'minor']],
    ],
    [
      'becomes read-only',
      createTramSchema(text),
      createTramSchema({ ...text, readOnly: true }),
      [['request-property-removed', 'major']],
    ],
    [
      'is no longer read-only',
      createTramSchema({ ...text, readOnly: true }),
      createTramSchema(text),
      [['request-property-added', 'minor']],
    ],
    [
      'is no longer read-only and is required',
      createTramSchema({ ...text, readOnly: true }, ['line']),
      createTramSchema(text, ['line']),
      [['request-required-property-added', 'major']],
    ],
    [
      'gets no value any more',
      createTramSchema(text),
      createTramSchema(false),
      [
        ['request-property-removed', 'major'],
        ['response-property-removed', 'major'],
      ],
    ],
  ])('%s', async (_, before, after, changes) => {
    const found = compareApi(
      await build(createDocument(before)),
      await build(createDocument(after)),
    )
    expect(found.map(({ code, verdicts }) => [code, verdicts.client])).toEqual(changes)
    for (const { sentence } of found) expect(sentence).toMatch(/\.line is (?:no longer )?excluded/)
  })
})
