import { describe, expect, it } from 'vitest'
import { build } from '../../../codegen/test/documents.js'
import { compareApi } from '../compare/contracts.js'

const document = (tram: object) => ({
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
const tram = (line: unknown, required: readonly string[] = []) => ({
  type: 'object',
  properties: { name: text, line },
  required,
})

describe('a property that one version excludes', () => {
  it.each<[how: string, before: object, after: object, changes: readonly (readonly string[])[]]>([
    [
      'becomes write-only',
      tram(text),
      tram({ ...text, writeOnly: true }),
      [['response-property-removed', 'major']],
    ],
    [
      'becomes write-only and was required',
      tram(text, ['line']),
      tram({ ...text, writeOnly: true }, ['line']),
      [['response-property-removed', 'major']],
    ],
    [
      'is no longer write-only',
      tram({ ...text, writeOnly: true }),
      tram(text),
      [['response-property-added-closed', 'minor']],
    ],
    [
      'becomes read-only',
      tram(text),
      tram({ ...text, readOnly: true }),
      [['request-property-removed', 'major']],
    ],
    [
      'is no longer read-only',
      tram({ ...text, readOnly: true }),
      tram(text),
      [['request-property-added', 'minor']],
    ],
    [
      'is no longer read-only and is required',
      tram({ ...text, readOnly: true }, ['line']),
      tram(text, ['line']),
      [['request-required-property-added', 'major']],
    ],
    [
      'gets no value any more',
      tram(text),
      tram(false),
      [
        ['request-property-removed', 'major'],
        ['response-property-removed', 'major'],
      ],
    ],
  ])('%s', async (_, before, after, changes) => {
    const found = compareApi(await build(document(before)), await build(document(after)))
    expect(found.map(({ code, verdicts }) => [code, verdicts.client])).toEqual(changes)
    for (const { sentence } of found) expect(sentence).toMatch(/\.line is (?:no longer )?excluded/)
  })
})
