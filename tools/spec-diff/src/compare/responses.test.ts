import { describe, expect, it } from 'vitest'
import { build } from '../../../codegen/test/documents.js'
import { compareApi } from './contracts.js'

type Responses = Readonly<Record<string, string>>

/** An operation whose responses have one property each, of this type. */
const document = (responses: Responses) => ({
  openapi: '3.1.0',
  info: { title: 'Trams', version: '1' },
  paths: {
    '/trams': {
      get: {
        operationId: 'listTrams',
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, type]) => [
            status,
            {
              description: 'Trams',
              content: {
                'application/json': { schema: { type: 'object', properties: { line: { type } } } },
              },
            },
          ]),
        ),
      },
    },
  },
})

async function compare(before: Responses, after: Responses): Promise<readonly string[]> {
  const [base, head] = [await build(document(before)), await build(document(after))]
  return compareApi(base, head).map(({ sentence }) => sentence)
}

describe('a response', () => {
  it('that is gone is no longer returned', async () => {
    expect(
      await compare({ 200: 'string', 404: 'string', 503: 'string' }, { 200: 'string' }),
    ).toEqual(['listTrams: it no longer returns 404', 'listTrams: it no longer returns 503'])
  })
})
