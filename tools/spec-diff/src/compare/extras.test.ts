import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { compareContracts } from './contracts.js'
import { readVersion } from '../versions/read-version.js'

const folder = mkdtempSync(join(tmpdir(), 'spec-diff-extras-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** What one operation says of its links and of the parts of its bodies. */
type Tram = {
  readonly links?: object
  readonly sent?: object
  readonly received?: object
  readonly colours?: readonly string[]
  readonly seen?: readonly string[]
  /** Where a callback is sent. */
  readonly told?: string
}

const withKnownValues = (values: readonly string[] | undefined) => ({
  type: 'string',
  ...(values && { 'x-extensible-enum': values }),
})
const createPartsContent = (
  encoding: object | undefined,
  values: readonly string[] | undefined,
) => ({
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        properties: { photo: { type: 'string' }, colour: withKnownValues(values) },
      },
      ...(encoding && { encoding: { photo: encoding } }),
    },
  },
})

let serial = 0
async function read({ links = {}, sent, received, colours, seen, told }: Tram) {
  const name = join(folder, `openapi-${++serial}.json`)
  const response = { description: 'Made', links, ...createPartsContent(received, seen) }
  const item = { post: { responses: { 200: { description: 'Seen' } } } }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Trams', version: '1' },
    paths: {
      '/trams': {
        post: {
          operationId: 'makeTram',
          requestBody: createPartsContent(sent, colours),
          responses: { 200: response },
          ...(told && { callbacks: { made: { 'x-note': 'made', [told]: item } } }),
        },
      },
    },
    components: {
      links: { owner: { operationId: 'getOwner' } },
      headers: { Size: { schema: { type: 'integer' } } },
    },
  }
  writeFileSync(name, JSON.stringify(document))
  const contract = await readVersion(name, { spec: '', cwd: folder })
  if (contract === undefined) throw new Error('The document was not read')
  return contract
}

/** The codes with their verdicts for the client, in both directions. */
async function listChanges(before: Tram, after: Tram): Promise<readonly string[]> {
  const found = compareContracts(await read(before), await read(after))
  for (const { sentence, place } of found) {
    expect(sentence).toMatch(/^makeTram: /)
    expect(place.line).toBeGreaterThan(0)
    expect(place.pointer).toMatch(/^\/(?:paths|components)\//)
  }
  return found.map(({ code, verdicts }) => `${code} ${verdicts.client}`)
}

const text = { schema: { type: 'string' } }
const size = { headers: { 'X-Size': { $ref: '#/components/headers/Size' } } }
const required = { headers: { 'X-Size': { required: true, schema: { type: 'integer' } } } }
const owner = { owner: { $ref: '#/components/links/owner' } }

describe('one operation', () => {
  const rows: readonly (readonly [
    string,
    Tram,
    Tram,
    there: readonly string[],
    back: readonly string[],
  ])[] = [
    [
      'the same by a reference',
      { links: owner },
      { links: { owner: { operationId: 'getOwner' } } },
      [],
      [],
    ],
    ['a link', {}, { links: owner }, ['link-added none'], ['link-removed none']],
    [
      'a link elsewhere',
      { links: owner },
      { links: { owner: { operationId: 'x' } } },
      ['link-changed none'],
      ['link-changed none'],
    ],
    [
      'a header of a part',
      { sent: {} },
      { sent: size },
      ['request-part-header-added minor'],
      ['request-part-header-removed minor'],
    ],
    [
      'a required one',
      {},
      { sent: required },
      ['request-part-header-required major'],
      ['request-part-header-removed minor'],
    ],
    [
      'one that is required',
      { sent: size },
      { sent: required },
      ['request-part-header-required major'],
      ['request-part-header-changed minor'],
    ],
    [
      'a header of a part that comes',
      { received: {} },
      { received: size },
      ['response-part-header-added minor'],
      ['response-part-header-removed major'],
    ],
    [
      'another schema of it',
      { received: size },
      { received: { headers: { 'x-size': text } } },
      ['response-part-header-changed major'],
      ['response-part-header-changed major'],
    ],
    [
      'the type of a part that comes',
      { received: { contentType: 'image/png' } },
      { received: { contentType: 'image/jpeg' } },
      ['response-encoding-changed major'],
      ['response-encoding-changed major'],
    ],
    [
      'another type that a part may have',
      { sent: { contentType: 'image/png' }, received: { contentType: 'image/png' } },
      {
        sent: { contentType: 'image/png, IMAGE/jpeg' },
        received: { contentType: 'image/png, image/jpeg' },
      },
      ['request-media-type-added minor', 'response-media-type-added major'],
      ['request-media-type-removed major', 'response-media-type-removed major'],
    ],
    [
      'another type beside the default of a part',
      { sent: { contentType: 'text/plain' } },
      { sent: { contentType: 'text/plain, text/html' } },
      ['request-media-type-added minor'],
      ['request-media-type-removed major'],
    ],
    [
      'another first type of a part',
      { sent: { contentType: 'image/png' } },
      { sent: { contentType: 'image/jpeg, image/png' } },
      ['request-encoding-changed major'],
      ['request-encoding-changed major'],
    ],
    [
      'the address of a callback',
      { told: '{$request.body#/url}' },
      { told: '{$request.query.url}' },
      ['callback-address-changed major'],
      ['callback-address-changed major'],
    ],
    [
      'a known value that is sent',
      { colours: ['red'] },
      { colours: ['red', 'blue'] },
      ['request-known-value-added minor'],
      ['request-known-value-removed major'],
    ],
    [
      'a known value that comes',
      { seen: ['red'] },
      { seen: ['red', 'blue'] },
      ['response-known-value-added minor'],
      ['response-known-value-removed patch'],
    ],
    ['known values in another order', { seen: ['red', 'blue'] }, { seen: ['blue', 'red'] }, [], []],
  ]
  it.each(rows)('reports %s', async (_, before, after, there, back) => {
    expect([await listChanges(before, after), await listChanges(after, before)]).toEqual([
      there,
      back,
    ])
  })
})
