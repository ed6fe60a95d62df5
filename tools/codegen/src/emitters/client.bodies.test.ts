import { deepTest } from '../../../internal/testing/src/rounds.js'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  readBody,
  startEchoServer,
  selectLines,
  writeResponse,
  type Echo,
} from '../../test/echo.js'
import { generateClient, type Calls } from '../../test/generated-client.js'
import { build } from '../../test/documents.js'
import { toInputSchema } from './mcp/input-schema.js'

const responses = {
  200: { description: 'Done', content: { 'application/json': { schema: { type: 'object' } } } },
}
const post = (operationId: string, content: object, rest: object = {}) => ({
  post: { operationId, requestBody: { required: true, content }, responses, ...rest },
})
const pet = { $ref: '#/components/schemas/Pet' }
const form = 'application/x-www-form-urlencoded'

const createTextResponse = (schema: object) => ({
  description: 'A string',
  content: { 'text/plain': { schema } },
})

const document = {
  openapi: '3.1.0',
  info: { title: 'Bodies', version: '1' },
  paths: {
    '/several': post('several', {
      'application/xml': { schema: pet },
      [form]: {
        schema: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            many: { type: 'array', items: { type: 'string' } },
          },
        },
      },
      'application/json': { schema: pet },
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: { file: { type: 'string', format: 'binary' } },
          required: ['file'],
        },
      },
      'text/plain': { schema: { type: 'string' } },
      'image/*': {},
    }),
    '/texts': {
      get: {
        operationId: 'texts',
        responses: {
          200: createTextResponse({ type: 'integer' }),
          201: createTextResponse({ type: 'boolean' }),
          202: createTextResponse({ enum: ['a', 'b'] }),
          203: createTextResponse({ type: 'string' }),
          404: createTextResponse({ type: ['integer', 'string'] }),
        },
      },
    },
    '/written': post('written', { [form]: { schema: { type: 'string' } } }),
    '/nullable': {
      get: {
        operationId: 'nullable',
        parameters: [
          { name: 'q', in: 'query', required: true, schema: { type: ['string', 'null'] } },
        ],
        responses,
      },
    },
    '/optional': {
      post: {
        operationId: 'optional',
        requestBody: { content: { 'application/json': { schema: pet }, 'text/plain': {} } },
        responses,
      },
    },
    '/unsaid/{id}': {
      post: {
        operationId: 'unsaid',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', properties: { id: { type: 'integer' } } },
            },
          },
        },
        responses,
      },
    },
    '/marked': post('marked', {
      'application/json': { schema: { type: 'object', properties: { contentType: {}, name: {} } } },
      'text/plain': {},
    }),
    '/plain': post('plain', {
      'application/json': {
        schema: {
          type: 'object',
          properties: { contentType: { type: 'string' }, body: { type: 'string' } },
        },
      },
    }),
    '/pets/{id}': post(
      'update',
      { 'application/json': { schema: pet } },
      {
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'body', in: 'query', schema: { type: 'string' } },
          { name: 'tag', in: 'query', schema: { type: 'boolean' } },
        ],
      },
    ),
    '/lists/{body}': post(
      'list',
      { 'application/json': { schema: { type: 'array', items: { type: 'string' } } } },
      {
        parameters: [{ name: 'body', in: 'path', required: true, schema: { type: 'string' } }],
      },
    ),
    '/xml': post('xmlPart', {
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: { meta: { type: 'object' }, note: { type: 'string' } },
          required: ['meta'],
        },
        encoding: { meta: { contentType: 'application/xml' }, note: { contentType: 'text/xml' } },
      },
    }),
  },
  components: {
    schemas: {
      Pet: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          name: { type: 'string' },
          tag: { type: 'string', default: 'x' },
          requestBody: { type: 'string' },
        },
        required: ['id', 'name'],
      },
    },
  },
}

const program = `import { createClient, type UpdateInput } from './out/client/index.js'
const client = createClient({ baseUrl: '' })
void client.several({ id: 1, name: 'a', requestBody: { requestBody: 'r' } })
void client.several({ contentType: 'application/json', id: 1, name: 'a' })
void client.several({ contentType: '${form}', name: 'a', many: ['b'] })
void client.several({ contentType: 'multipart/form-data', file: new Blob() })
void client.several({ contentType: 'text/plain', body: 'a' })
void client.several({ contentType: 'application/xml', body: '<a/>' })
void client.several({ contentType: 'image/*', body: new Blob() })
void client.optional()
void client.unsaid({ id: '7' })
void client.plain({ contentType: 'a', body: 'b' })
void client.update({ id: '7', queryBody: 'q', tag: true, name: 'a', requestBody: { id: 7, tag: 't' } })
void client.list({ pathBody: 'a', body: ['b'] })
void client.xmlPart({ meta: '<a/>', note: '<b/>' })
export const id: string = ({} as UpdateInput).id
const texts = await client.texts()
if (texts.status === 200) void (texts.data satisfies number)
else if (texts.status === 201) void (texts.data satisfies boolean)
else if (texts.status === 202) void (texts.data satisfies 'a' | 'b')
else if (texts.status === 404) void (texts.error satisfies string)
void client.written({ body: 'a=b' })
void client.nullable({ q: 'a' })
// @ts-expect-error null leaves a parameter out
void client.nullable({ q: null })
// @ts-expect-error a form has no id
void client.several({ contentType: '${form}', id: 1 })
// @ts-expect-error JSON is the default, and has no file
void client.several({ file: new Blob() })
// @ts-expect-error no such media type
void client.several({ contentType: 'text/html', body: '' })
// @ts-expect-error the body needs an id of its own
void client.update({ id: '7', name: 'a' })
// @ts-expect-error the tag of the query is a flag
void client.update({ id: '7', name: 'a', tag: 't', requestBody: { id: 7 } })
// @ts-expect-error the client writes no XML
void client.xmlPart({ meta: { a: 1 } })
`

let server: Echo
let client: Awaited<ReturnType<typeof generateClient>>
let calls: Calls

beforeAll(async () => {
  server = await startEchoServer()
  client = await generateClient('bodies', document)
  calls = (client.module as { readonly createClient: (options: object) => Calls }).createClient({
    baseUrl: server.origin,
  })
})
afterEach(() => void (server.seen.length = 0))
afterAll(async () => {
  await Promise.all([client.remove(), server.close()])
})

/** What one call puts on the wire: its first line, its Content-Type and its body. */
async function captureRequest(
  id: string,
  input: object = {},
): Promise<readonly (string | undefined)[]> {
  await calls[id]?.(input)
  const [request = ''] = server.seen.splice(0)
  const [line, type] = selectLines(request, 'content-type')
  const boundary = /boundary=(.*)/.exec(type ?? '')?.[1]
  const fixBoundary = (text: string | undefined) =>
    boundary === undefined ? text : text?.replaceAll(boundary, 'B')
  return [line, fixBoundary(type), fixBoundary(readBody(request))]
}

describe('a body of several media types', () => {
  const line = 'POST /several HTTP/1.1'

  it.each([
    [{ id: 1, name: 'a' }, 'application/json', '{"id":1,"name":"a"}'],
    [
      { contentType: 'application/json', id: 1, name: 'é' },
      'application/json',
      '{"id":1,"name":"Ã©"}',
    ],
    [{ contentType: form, name: 'a b', many: ['c', '&'] }, form, 'name=a+b&many=c&many=%26'],
    [{ contentType: 'application/xml', body: '<pet/>' }, 'application/xml', '<pet/>'],
    [{ contentType: 'text/plain', body: 'a' }, 'text/plain', 'a'],
    [{ contentType: 'image/*', body: new Blob(['x'], { type: 'image/gif' }) }, 'image/gif', 'x'],
    [
      { contentType: 'multipart/form-data', file: new File(['x'], 'f.txt', { type: 'text/csv' }) },
      'multipart/form-data; boundary=B',
      '--B\r\nContent-Disposition: form-data; name="file"; filename="f.txt"\r\nContent-Type: text/csv\r\n\r\nx\r\n--B--\r\n',
    ],
  ])('is encoded as %j requires', async (input, type, body) => {
    expect(await captureRequest('several', input)).toEqual([line, `content-type: ${type}`, body])
  })

  it('may be a form that the caller has encoded', async () => {
    const sent = ['POST /written HTTP/1.1', `content-type: ${form}`, 'a=b+c&a=%26']
    expect(await captureRequest('written', { body: 'a=b+c&a=%26' })).toEqual(sent)
  })

  it('is omitted if it is optional and no field is given', async () => {
    expect(await captureRequest('optional')).toEqual(['POST /optional HTTP/1.1', undefined, ''])
    expect(await captureRequest('optional', { contentType: 'text/plain' })).toEqual([
      'POST /optional HTTP/1.1',
      undefined,
      '',
    ])
    expect(await captureRequest('optional', { contentType: 'text/plain', body: 'a' })).toEqual([
      'POST /optional HTTP/1.1',
      'content-type: text/plain',
      'a',
    ])
  })

  it('must be of a declared type', async () => {
    await expect(calls['optional']?.({ contentType: 'text/html', body: '' })).rejects.toThrow(
      'optional: the contentType is "text/html"; expected "application/json" or "text/plain".',
    )
    expect(server.seen).toEqual([])
  })
})

describe('a response of plain text', () => {
  it.each([
    [200, '7', 7],
    [200, '-0.5\n', -0.5],
    [200, '', ''],
    [200, 'seven', 'seven'],
    [201, 'false', false],
    [202, 'b', 'b'],
    [203, '7', '7'],
    [404, '7', '7'],
  ])('of status %i is read from %j by its schema', async (status, text, expected) => {
    server.respond = () =>
      `HTTP/1.1 ${status} Said\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${text}`
    const result = await calls['texts']?.()
    server.respond = () => writeResponse('{}')
    expect(result?.data ?? result?.error).toEqual(expected)
  })
})

describe('a field whose name is taken', () => {
  it('is passed in requestBody', async () => {
    const input = {
      id: '7',
      queryBody: 'q',
      tag: true,
      name: 'a',
      requestBody: { id: 8, tag: 't', requestBody: 'r' },
    }
    expect(await captureRequest('update', input)).toEqual([
      'POST /pets/7?body=q&tag=true HTTP/1.1',
      'content-type: application/json',
      '{"name":"a","id":8,"tag":"t","requestBody":"r"}',
    ])
    expect(
      await captureRequest('several', { id: 1, name: 'a', requestBody: { requestBody: 'r' } }),
    ).toContain('{"id":1,"name":"a","requestBody":"r"}')
    expect(await captureRequest('unsaid', { id: '7', requestBody: { id: 8 } })).toContain(
      '{"id":8}',
    )
    expect(await captureRequest('unsaid', { id: '7' })).toEqual([
      'POST /unsaid/7 HTTP/1.1',
      undefined,
      '',
    ])
    await expect(calls['update']?.({ id: '7', name: 'a', requestBody: 'r' })).rejects.toThrow(
      'update: the field "requestBody" must be an object of fields.',
    )
  })

  it('can be passed in requestBody only if there are several media types', async () => {
    expect(await captureRequest('plain', { contentType: 'a', body: 'b' })).toContain(
      '{"contentType":"a","body":"b"}',
    )
    expect(
      await captureRequest('marked', { name: 'n', requestBody: { contentType: 'a' } }),
    ).toContain('{"name":"n","contentType":"a"}')
  })

  it('does not rename a body that is a single value', async () => {
    expect(await captureRequest('list', { pathBody: 'a', body: ['b'] })).toEqual([
      'POST /lists/a HTTP/1.1',
      'content-type: application/json',
      '["b"]',
    ])
  })

  it('is reported, and is in the schema of a tool', async () => {
    expect(
      client.diagnostics
        .filter(({ code }) => code === 'FB4007')
        .map(({ found, expected }) => `${found}: ${expected}`),
    ).toEqual([
      'body field "requestBody": a name of its own; it is given in "requestBody"',
      'body field "requestBody": a name of its own; it is given in "requestBody"',
      'body field "id": a name of its own; it is given in "requestBody"',
      'body field "contentType": a name of its own; it is given in "requestBody"',
      'query parameter "body": a name of its own; it is now "queryBody"',
      'body field "id": a name of its own; it is given in "requestBody"',
      'body field "tag": a name of its own; it is given in "requestBody"',
      'body field "requestBody": a name of its own; it is given in "requestBody"',
      'path parameter "body": a name of its own; it is now "pathBody"',
    ])
    const api = await build(document)
    const update = api.operations.find(({ id }) => id === 'update') ?? expect.fail('no operation')
    expect(toInputSchema(api, update)).toMatchObject({
      required: ['id', 'name', 'requestBody'],
      properties: {
        id: { type: 'string' },
        tag: { type: 'boolean' },
        requestBody: {
          type: 'object',
          properties: { id: { type: 'integer' }, tag: { type: 'string' } },
          required: ['id'],
        },
      },
    })
  })
})

describe('a part of XML', () => {
  it('is a string or bytes', async () => {
    const part = (name: string, text: string, type = 'application/xml') =>
      `--B\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: ${type}\r\n\r\n${text}\r\n`
    expect(await captureRequest('xmlPart', { meta: '<a/>', note: '<b/>' })).toContain(
      `${part('meta', '<a/>')}${part('note', '<b/>', 'text/xml')}--B--\r\n`,
    )
    const [, , body] = await captureRequest('xmlPart', { meta: new Blob(['<a/>']) })
    expect(body).toContain('Content-Type: application/xml\r\n\r\n<a/>\r\n')
  })

  it('cannot be an object, which the generator and the client report', async () => {
    await expect(calls['xmlPart']?.({ meta: { a: 1 } })).rejects.toThrow(
      'xmlPart: the part "meta" is application/xml, so it must be a string or bytes; found an object. Write it as XML first.',
    )
    expect(server.seen).toEqual([])
    expect(
      client.diagnostics.filter(({ code }) => code === 'FB4032').map(({ found }) => found),
    ).toEqual(['part "meta"'])
  })
})

deepTest('matches its types', async () => {
  expect(await client.compile(program)).toBe('')
})
