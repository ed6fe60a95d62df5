import { describe, expect, it } from 'vitest'
import type { Api } from '@farebox/codegen/model'
import { build, withOperation } from '../../../codegen/test/documents.js'
import { compareApi } from './contracts.js'

type Responses = Readonly<Record<string, string>>

/** An operation whose responses have one property each, of this type. */
const createDocument = (responses: Responses) => ({
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
  const [base, head] = [await build(createDocument(before)), await build(createDocument(after))]
  return compareApi(base, head).map(({ sentence }) => sentence)
}

describe('a response', () => {
  it('that was removed is no longer returned', async () => {
    expect(
      await compare({ 200: 'string', 404: 'string', 503: 'string' }, { 200: 'string' }),
    ).toEqual(['listTrams: it no longer returns 404', 'listTrams: it no longer returns 503'])
  })

  it.each<[string, Responses, Responses, readonly string[]]>([
    [
      'that becomes a range is compared with it',
      { 200: 'string', 404: 'string' },
      { '2XX': 'number', '4XX': 'string' },
      [
        'listTrams: the response was 200 and may be any 2XX now',
        'listTrams: the response 2XX.line was a string and is a number now',
        'listTrams: the response was 404 and may be any 4XX now',
      ],
    ],
    [
      'that replaces a range is compared with it',
      { '2XX': 'string' },
      { 200: 'string', 201: 'number' },
      [
        'listTrams: the response was any 2XX and is 200 now',
        'listTrams: the response was any 2XX and is 201 now',
        'listTrams: the response 201.line was a string and is a number now',
      ],
    ],
    [
      'of a failure that becomes the default is compared with it',
      { 200: 'string', 404: 'string' },
      { 200: 'string', default: 'string' },
      ['listTrams: the response was 404 and may be any other now'],
    ],
    [
      'of a success does not become the default',
      { 200: 'string' },
      { default: 'string' },
      ['listTrams: it may respond with default now', 'listTrams: it no longer returns 200'],
    ],
    [
      'with a range added beside it is not replaced',
      { 200: 'string', 404: 'string' },
      { 200: 'string', 404: 'string', '4XX': 'number' },
      ['listTrams: it may respond with 4XX now'],
    ],
  ])('%s', async (_title, before, after, sentences) => {
    expect(await compare(before, after)).toEqual(sentences)
  })
})

it('a header that becomes JSON, or stops being JSON, changes its encoding', async () => {
  const withHeader = (header: object) =>
    build(
      withOperation({
        operationId: 'listTrams',
        responses: { 200: { description: 'Trams', headers: { 'X-Page': header } } },
      }),
    )
  const schema = { type: 'object', properties: { last: { type: 'integer' } } }
  const plain = await withHeader({ schema })
  const json = await withHeader({ content: { 'application/json': { schema } } })
  const upper = await withHeader({ content: { 'Application/JSON': { schema } } })
  const changed = [
    [
      'response-header-form-changed',
      'listTrams: the header X-Page of the response 200 is written in another form now',
    ],
  ]
  const list = (base: Api, head: Api) =>
    compareApi(base, head).map(({ code, sentence }) => [code, sentence])
  expect(list(plain, json)).toEqual(changed)
  expect(list(json, plain)).toEqual(changed)
  expect(list(json, upper)).toEqual([])
})
