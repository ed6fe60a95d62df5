import { expect, it } from 'vitest'
import { build } from '../../../codegen/test/documents.js'
import { compareApi } from './contracts.js'

const tram = { type: 'object', properties: { line: { type: 'string' } } }
const createDocument = (types: readonly string[], schema: object) => {
  const content = Object.fromEntries(types.map((type) => [type, { schema }]))
  return {
    openapi: '3.1.0',
    info: { title: 'Trams', version: '1' },
    paths: {
      '/trams': {
        post: {
          operationId: 'makeTram',
          requestBody: { required: true, content },
          responses: { 200: { description: 'Made', content } },
        },
      },
    },
  }
}
const compare = async (
  before: readonly string[],
  after: readonly string[],
  schema: object = tram,
) => {
  const [base, head] = [
    await build(createDocument(before, tram)),
    await build(createDocument(after, schema)),
  ]
  return compareApi(base, head).map(({ code, verdicts: { types, client }, sentence }) => ({
    change: `${code} ${types} ${client}`,
    sentence,
  }))
}

it('a media type that becomes a range is still accepted, but not the only one returned', async () => {
  expect(await compare(['application/json'], ['*/*'])).toEqual([
    {
      change: 'request-media-type-widened major minor',
      sentence: 'makeTram: the body was application/json and may be any */* now',
    },
    {
      change: 'response-media-type-widened major major',
      sentence: 'makeTram: the response 200 was application/json and may be any */* now',
    },
  ])
})

it('a range that becomes some of its media types is still returned, but no longer fully accepted', async () => {
  expect(await compare(['text/*'], ['text/plain', 'text/html'])).toEqual(
    ['request-media-type-narrowed major major', 'response-media-type-narrowed major minor'].flatMap(
      (change) =>
        ['text/plain', 'text/html'].map((type) => ({
          change,
          sentence: `makeTram: the ${change.startsWith('request') ? 'body' : 'response 200'} was any text/* and is ${type} now`,
        })),
    ),
  )
})

it('the values of a media type and of its range are compared', async () => {
  const changes = await compare(['text/plain'], ['text/*'], { ...tram, minProperties: 1 })
  expect(changes.map(({ change }) => change)).toEqual([
    'request-media-type-widened major minor',
    'request-bound-tightened none major',
    'response-media-type-widened major major',
    'response-bound-tightened none patch',
  ])
})

it('a range that is added next to a media type replaces nothing', async () => {
  const changes = await compare(['application/json'], ['application/json', '*/*'])
  expect(changes.map(({ change }) => change)).toEqual([
    'request-media-type-added minor minor',
    'response-media-type-added minor major',
  ])
})
