import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { build, diagnose, load, omitNotes, withFiles } from '../test/documents.js'
import { formatDiagnostic } from './diagnostics.js'
import { emitters } from './emitters/index.js'
import { client } from './emitters/client.js'
import { types } from './emitters/types.js'
import { zod } from './emitters/zod.js'
import { generate } from './pipeline/generate.js'
import { folder } from './pipeline/target.js'

// The changes of OpenAPI 3.2, one test each. The README has a table that names these tests.

const work = fileURLToPath(new URL('../.tmp/openapi-3-2/', import.meta.url))

const ok = { 200: { description: 'Done.' } }
const text = { type: 'string' }
const createDocument = (rest: object) => ({
  openapi: '3.2.0',
  info: { title: 'Test', version: '1' },
  ...rest,
})
const createOperation = (rest: object, id = 'test') => ({ operationId: id, responses: ok, ...rest })
const withParameters = (...all: readonly object[]) =>
  createDocument({ paths: { '/a': { get: createOperation({ parameters: all }) } } })
const query = (mediaType: string, schema: object) => ({
  name: 'q',
  in: 'querystring',
  required: true,
  content: { [mediaType]: { schema } },
})
const createResponses = (media: object, mediaType = 'application/json') => ({
  responses: { 200: { content: { [mediaType]: media } } },
})

async function listCodes(content: object): Promise<readonly string[]> {
  return (await diagnose({ 'openapi.json': JSON.stringify(content) }, 'openapi.json')).map(
    ({ code }) => code,
  )
}

type SentRequest = { readonly url: string; readonly method: string; readonly headers: Headers }
type Client = Readonly<Record<string, (input: object) => Promise<unknown>>>
type Module = { readonly createClient: (options: object) => Client }

let count = 0

/** What a generated client sends for an operation called `test`. */
async function sendTest(content: object, input: object): Promise<SentRequest> {
  const name = `${++count}`
  await writeFile(join(work, `${name}.json`), JSON.stringify(content))
  const result = await generate({
    spec: `${name}.json`,
    cwd: work,
    emitters: [types, zod, client],
    target: folder(name, 'test'),
  })
  expect(result.diagnostics.map(formatDiagnostic)).toEqual([])
  const { createClient } = (await import(
    pathToFileURL(join(work, name, 'client/index.ts')).href
  )) as Module
  const calls: SentRequest[] = []
  const send = (call: SentRequest) =>
    Promise.resolve(calls.push(call)).then(() => new Response(null))
  await createClient({ baseUrl: 'https://a.example', send })['test']?.(input)
  const [call] = calls
  if (call === undefined) throw new Error('expected a call')
  return call
}

beforeAll(async () => {
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
})
afterAll(async () => rm(work, { recursive: true, force: true }))

describe('OpenAPI 3.2', () => {
  it('is read, even written as a number, but a later version is not', async () => {
    expect(await listCodes(createDocument({ paths: {} }))).toEqual([])
    expect(
      (await load({ 'openapi.yaml': 'openapi: 3.2\ninfo: { title: a, version: "1" }\npaths: {}' }))
        .document?.version,
    ).toBe('3.2')
    expect(await listCodes({ ...createDocument({ paths: {} }), openapi: '3.3.0' })).toEqual([
      'FB1006',
    ])
  })

  it('itemSchema describes an item, including read-only fields and references', async () => {
    const schemas = {
      Item: { type: 'object', properties: { id: { ...text, writeOnly: true }, name: text } },
    }
    const get = createOperation(
      createResponses({ itemSchema: { $ref: '#/components/schemas/Item' } }, 'application/jsonl'),
    )
    const api = await build(createDocument({ paths: { '/a': { get } }, components: { schemas } }))
    expect(api.operations[0]?.responses[0]?.contents[0]).toMatchObject({
      stream: { kind: 'lines' },
      schema: { kind: 'ref', name: 'ItemResponse' },
    })
  })

  it('itemEncoding, prefixEncoding and nested encodings may stand in a media type, with references in them', async () => {
    const header = { headers: { A: { $ref: '#/components/headers/A' } } }
    const content = {
      'multipart/mixed': {
        schema: { type: 'array' },
        prefixEncoding: [header],
        itemEncoding: { ...header, encoding: { a: header } },
      },
    }
    const post = createOperation({ requestBody: { content } })
    expect(
      await listCodes(
        createDocument({
          paths: { '/a': { post } },
          components: { headers: { A: { schema: text } } },
        }),
      ),
    ).toEqual([])
    const broken = JSON.stringify(createDocument({ paths: { '/a': { post } } }))
    expect(
      (await diagnose({ 'openapi.json': broken }, 'openapi.json')).map(({ code }) => code),
    ).toEqual(['FB2001', 'FB2001', 'FB2001'])
  })

  it('itemSchema, itemEncoding and prefixEncoding make the parts of a multipart body items', async () => {
    const media = {
      itemSchema: { type: 'object' },
      prefixEncoding: [{ contentType: 'text/csv' }],
      itemEncoding: { contentType: 'image/png' },
    }
    const list = {
      schema: { type: 'array', prefixItems: [text, { type: 'integer' }], items: false },
      prefixEncoding: [{}],
    }
    const all = {
      'multipart/mixed': media,
      'multipart/related': list,
      'multipart/form-data': { schema: { type: 'object' } },
    }
    const api = await build(
      createDocument({
        paths: { '/a': { post: createOperation({ requestBody: { content: all } }) } },
      }),
    )
    expect(
      api.operations[0]?.body?.contents.map(({ mediaType, stream }) => [mediaType, stream]),
    ).toEqual([
      ['multipart/mixed', { kind: 'parts', prefix: ['text/csv'], rest: 'image/png' }],
      ['multipart/related', { kind: 'parts', prefix: ['text/plain', 'application/json'] }],
      ['multipart/form-data', undefined],
    ])
  })

  it('query is a safe method that may have a body', async () => {
    const requestBody = {
      required: true,
      content: { 'application/json': { schema: { type: 'object', properties: { a: text } } } },
    }
    const content = createDocument({ paths: { '/a': { query: createOperation({ requestBody }) } } })
    expect(await sendTest(content, { a: 'x' })).toMatchObject({
      method: 'QUERY',
      body: '{"a":"x"}',
    })
    expect((await build(content)).operations[0]).toMatchObject({
      method: 'query',
      idempotent: true,
    })
  })

  it('additionalOperations have their methods as written, except those with their own field', async () => {
    const content = createDocument({
      paths: {
        '/a': {
          additionalOperations: { COPY: createOperation({}), link: createOperation({}, 'other') },
        },
      },
    })
    expect(await sendTest(content, {})).toMatchObject({ method: 'COPY' })
    expect(
      (await build(content)).operations.map(({ id, method, idempotent }) => [
        id,
        method,
        idempotent,
      ]),
    ).toEqual([
      ['test', 'COPY', false],
      ['other', 'link', false],
    ])
    expect(
      await listCodes(
        createDocument({
          paths: { '/a': { additionalOperations: { POST: createOperation({}) } } },
        }),
      ),
    ).toEqual(['FB4031'])
  })

  it('in: querystring is the whole query, as a form', async () => {
    const schema = {
      type: 'object',
      properties: { a: text, b: { type: 'array', items: text }, c: { type: 'object' } },
    }
    const content = withParameters(query('application/x-www-form-urlencoded', schema))
    const { url } = await sendTest(content, { q: { a: 'x y&', b: ['1', '2'], c: { d: 1 } } })
    expect(url).toBe('https://a.example/a?a=x+y%26&b=1&b=2&c=%7B%22d%22%3A1%7D')
  })

  it('in: querystring is the whole query, as JSON or as text', async () => {
    expect(
      (await sendTest(withParameters(query('application/json', {})), { q: { a: 1 } })).url,
    ).toBe('https://a.example/a?%7B%22a%22%3A1%7D')
    expect(
      (await sendTest(withParameters(query('application/jsonpath', text)), { q: '$.a[0]' })).url,
    ).toBe('https://a.example/a?%24.a%5B0%5D')
  })

  it('in: querystring excludes other query parameters', async () => {
    expect(
      await listCodes(
        withParameters(query('text/plain', text), { name: 'a', in: 'query', schema: text }),
      ),
    ).toEqual(['FB4030'])
  })

  it('style: cookie escapes nothing, and rejects what would end the cookie', async () => {
    const cookie = (name: string, schema: object, rest: object = {}) => ({
      name,
      in: 'cookie',
      style: 'cookie',
      schema,
      ...rest,
    })
    const list = { type: 'array', items: text }
    const content = withParameters(
      cookie('a', text),
      cookie('b', list),
      cookie('c', list, { explode: false }),
      cookie('d', { type: 'object' }),
    )
    const { headers } = await sendTest(content, {
      a: 'x=/+%',
      b: ['1', '2'],
      c: ['1', '2'],
      d: { e: 1, f: 2 },
    })
    expect(headers.get('cookie')).toBe('a=x=/+%; b=1; b=2; c=1,2; e=1; f=2')
    await expect(sendTest(content, { a: 'x; admin=1' })).rejects.toThrow(
      'has a semicolon or a control character',
    )
  })

  it('$self names the document, and the files beside it', async () => {
    const paths = {
      '/a': {
        get: createOperation(
          createResponses({
            schema: { $ref: 'https://api.example/v1/openapi#/components/schemas/A' },
          }),
        ),
      },
      '/b': {
        get: createOperation(
          createResponses({ schema: { $ref: 'https://api.example/v1/parts/b.json' } }),
          'other',
        ),
      },
    }
    const entry = createDocument({
      $self: 'https://api.example/v1/openapi',
      paths,
      components: { schemas: { A: text } },
    })
    const a = { $ref: 'https://api.example/v1/openapi#/components/schemas/A' }
    const b = { type: 'object', properties: { a, c: { $ref: 'c.json' } } }
    const files = {
      'openapi.json': JSON.stringify(entry),
      'parts/b.json': JSON.stringify(b),
      'parts/c.json': '{"type":"integer"}',
    }
    const { diagnostics, document: loaded } = await load(files, {}, 'openapi.json')
    expect(diagnostics.map(formatDiagnostic)).toEqual([])
    expect(loaded?.root).toMatchObject({
      components: {
        schemas: { A: text, b: { properties: { c: { $ref: '#/components/schemas/c' } } } },
      },
    })
    const outside = createDocument({
      $self: 'https://api.example/v1/openapi',
      paths: { '/a': { $ref: 'https://api.example/other.json' } },
    })
    expect(await listCodes(outside)).toEqual(['FB2003'])
  })

  it('components.mediaTypes can be referenced from content', async () => {
    const paths = {
      '/a': { get: createOperation(createResponses({ $ref: '#/components/mediaTypes/A' })) },
    }
    const api = await build(
      createDocument({ paths, components: { mediaTypes: { A: { schema: { type: 'integer' } } } } }),
    )
    expect(omitNotes(api.operations[0]?.responses[0]?.contents[0]?.schema)).toEqual({
      kind: 'number',
      integer: true,
    })
  })

  it('dataValue and serializedValue are validated against the schema', async () => {
    const examples = (value: object) =>
      createDocument({
        paths: {
          '/a': { get: createOperation(createResponses({ schema: text, examples: { a: value } })) },
        },
      })
    expect(await listCodes(examples({ dataValue: 'x' }))).toEqual([])
    expect(await listCodes(examples({ dataValue: 1 }))).toEqual(['FB3010'])
    expect(await listCodes(examples({ serializedValue: '"x"' }))).toEqual([])
    expect(await listCodes(examples({ serializedValue: '1' }))).toEqual(['FB3010'])
    expect(await listCodes(examples({ serializedValue: 'x' }))).toEqual(['FB4012'])
  })

  it('a response needs no description', async () => {
    expect(
      await listCodes(
        createDocument({
          paths: { '/a': { get: createOperation({ responses: { 200: { summary: 'Done.' } } }) } },
        }),
      ),
    ).toEqual([])
  })

  it('a discriminator may have a defaultMapping, whose reference is followed', async () => {
    const pet = (name: string) => ({ type: 'object', properties: { kind: { const: name } } })
    const oneOf = [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
    const choice = (defaultMapping: string) => ({
      oneOf,
      discriminator: { propertyName: 'kind', defaultMapping },
    })
    const schemas = (target: string) =>
      createDocument({
        components: { schemas: { Cat: pet('cat'), Dog: pet('dog'), Pet: choice(target) } },
      })
    expect(await listCodes(schemas('Dog'))).toEqual([])
    expect(await listCodes(schemas('#/components/schemas/Dog'))).toEqual([])
    expect(await listCodes(schemas('#/components/schemas/Fish'))).toEqual(['FB2001'])
  })

  it('a client has servers by name and deprecated credentials', async () => {
    const key = { type: 'apiKey', in: 'header', name: 'X-Key', deprecated: true }
    const api = await build(
      createDocument({
        servers: [{ url: 'https://a.example', name: 'main' }],
        paths: { '/a': { get: createOperation({ security: [{ key: [] }] }) } },
        components: { securitySchemes: { key } },
      }),
    )
    const texts = client.emit(api).flatMap(({ body }) => Array.from(body, (code) => code.text))
    expect(texts).toContainEqual(expect.stringContaining("  | {\n    readonly name: 'main'\n  }"))
    expect(texts).toContainEqual(
      expect.stringContaining(
        '   * The header `X-Key`.\n   * @deprecated\n   */\n  readonly key?: Credential',
      ),
    )
  })

  it('descriptive fields are accepted, and every output is generated', async () => {
    const securitySchemes = {
      flow: {
        type: 'oauth2',
        deprecated: true,
        oauth2MetadataUrl: 'https://a.example/meta',
        flows: {
          deviceAuthorization: {
            deviceAuthorizationUrl: 'https://a.example/d',
            tokenUrl: 'https://a.example/t',
            scopes: {},
          },
        },
      },
    }
    const content = createDocument({
      servers: [{ url: 'https://a.example', name: 'main' }],
      tags: [
        { name: 'a', summary: 'A', kind: 'nav' },
        { name: 'b', parent: 'a' },
      ],
      security: [{ flow: [] }],
      paths: {
        '/a': {
          get: createOperation(createResponses({ schema: { $ref: '#/components/schemas/A' } })),
        },
      },
      components: {
        securitySchemes,
        schemas: {
          A: { type: 'object', properties: { b: { ...text, xml: { nodeType: 'attribute' } } } },
        },
      },
    })
    await withFiles({ 'openapi.json': JSON.stringify(content) }, async (cwd) => {
      const result = await generate({
        spec: 'openapi.json',
        cwd,
        emitters,
        target: folder('out', 'test'),
      })
      expect([result.status, result.diagnostics.map(formatDiagnostic)]).toEqual(['written', []])
    })
  })
})
