import { describe, expect, it } from 'vitest'
import { read } from '../../test/read-both.js'
import { collectStates, listSteps } from '../changeset/states.js'
import { compareContracts } from './contracts.js'

type Edit = Readonly<Record<string, object>>

/** A tram that is sent and read in a media type. */
const createDocument = (
  { tram, line, stops, stop, next }: Edit,
  mediaType: string,
  inline = false,
) => {
  const item = { type: 'string', ...(stop && { xml: stop }) }
  const schema = {
    type: 'object',
    ...(tram && { xml: tram }),
    properties: {
      line: { type: 'integer', ...(line && { xml: line }) },
      stops: { type: 'array', ...(stops && { xml: stops }), items: item },
      next: { $ref: '#/components/schemas/Tram', ...(next && { xml: next }) },
    },
  }
  const content = {
    [mediaType]: { schema: inline ? schema : { $ref: '#/components/schemas/Tram' } },
  }
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Trams', version: '1' },
    paths: {
      '/trams': {
        post: {
          operationId: 'makeTram',
          requestBody: { content },
          responses: { 204: { description: 'Made' } },
        },
        get: { operationId: 'getTram', responses: { 200: { description: 'A tram', content } } },
      },
    },
    components: { schemas: { Tram: schema } },
  })
}

async function compare(before: Edit, after: Edit, mediaType = 'application/xml', inline = false) {
  const base = await read('openapi.json', createDocument(before, mediaType))
  const head = await read('openapi.json', createDocument(after, mediaType, inline))
  return {
    changes: compareContracts(base, head),
    steps: listSteps(collectStates(base), collectStates(head)).map(({ subject }) => subject),
  }
}

describe('the XML of a schema', () => {
  it.each<[string, Edit, Edit, readonly string[]]>([
    [
      'another name',
      {},
      { line: { name: 'number' } },
      ['Tram.line was the element line of XML and is the element number now'],
    ],
    [
      'an attribute',
      { line: { attribute: true } },
      { line: { nodeType: 'element' } },
      ['Tram.line was the attribute line of XML and is the element line now'],
    ],
    [
      'an element around an array',
      { stop: { name: 'stop' } },
      { stops: { wrapped: true }, stop: { name: 'halt' } },
      [
        'Tram.stops was the unwrapped element stops of XML and is the wrapped element stops now',
        'Tram.stops[] was the element stop of XML and is the element halt now',
      ],
    ],
    [
      'a namespace and a prefix',
      { tram: { name: 'tram' } },
      { tram: { name: 'tram', namespace: 'urn:trams', prefix: 't' } },
      [
        'Tram was the element tram of XML and is the element t:tram of urn:trams now',
        'Tram.next was the element tram of XML and is the element t:tram of urn:trams now',
      ],
    ],
    [
      'what stands beside a reference',
      { tram: { name: 'tram' } },
      { tram: { name: 'tram' }, next: { name: 'after' } },
      ['Tram.next was the element tram of XML and is the element after now'],
    ],
    [
      'a written default',
      {},
      { line: { name: 'line', attribute: false }, tram: { wrapped: true } },
      [],
    ],
    [
      'the name of the component',
      {},
      { tram: { name: 'Tram' } },
      ['Tram.next was the element next of XML and is the element Tram now'],
    ],
  ])('%s', async (_title, before, after, expected) => {
    const { changes, steps } = await compare(before, after)
    const found = (direction: string) =>
      changes
        .filter(({ code }) => code === `${direction}-xml-changed`)
        .map(({ sentence }) => sentence)
    expect(found('request')).toEqual(expected)
    expect(found('response')).toEqual(expected)
    expect(changes).toHaveLength(2 * expected.length)
    for (const { verdicts, subject, operations, place } of changes) {
      expect(verdicts).toEqual({ types: 'none', zod: 'none', client: 'major', sdk: 'major' })
      expect(subject).toEqual({ kind: 'schema', name: 'Tram' })
      expect(operations).toHaveLength(1)
      expect(place.pointer).toMatch(/^\/components\/schemas\/Tram/)
    }
    if (expected.length > 0) expect(steps).toEqual(['schema Tram'])
  })

  it('does not matter to JSON', async () => {
    const { changes } = await compare({}, { line: { name: 'number' } }, 'application/json')
    expect(changes).toEqual([])
  })

  it('is not read beside a reference before OpenAPI 3.1', async () => {
    const edit = (next: Edit) => createDocument(next, 'text/xml').replace('3.1.0', '3.0.3')
    const base = await read('openapi.json', edit({}))
    const head = await read('openapi.json', edit({ next: { name: 'after' } }))
    expect(compareContracts(base, head)).toEqual([])
  })

  it('is the same in place of a reference', async () => {
    const { changes } = await compare({}, {}, 'text/xml', true)
    expect(changes).toEqual([])
  })
})
