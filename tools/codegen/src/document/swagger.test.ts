import { describe, expect, it, vi } from 'vitest'
import { diagnose, load } from '../../test/documents.js'
import { isolate } from '../isolate/isolate.js'

const swagger = `swagger: "2.0"
info: { title: Test, version: "1" }
host: api.example
basePath: /v1
schemes: [https]
produces: [application/json]
parameters:
  Pet: { name: pet, in: body, required: true, schema: { $ref: '#/definitions/Pet' } }
  Ids: { name: ids, in: query, type: array, collectionFormat: pipes, items: { type: string } }
responses:
  Bad: { description: Bad, schema: { type: string } }
securityDefinitions:
  key: { type: apiKey, in: header, name: X-Key }
security: [{ key: [] }]
paths:
  /pets/{id}:
    parameters:
      - { name: id, in: path, required: true, type: integer }
    put:
      operationId: putPet
      parameters:
        - $ref: '#/parameters/Pet'
        - $ref: '#/parameters/Ids'
      responses:
        200: { description: Done, schema: { $ref: '#/definitions/Pet' } }
        400: { $ref: '#/responses/Bad' }
    post:
      operationId: sendPhoto
      consumes: [multipart/form-data]
      produces: [image/png]
      parameters:
        - { name: photo, in: formData, type: file, required: true }
        - { name: tags, in: formData, type: array, items: { type: string } }
      responses:
        200: { description: Done, schema: { type: file } }
definitions:
  Pet:
    type: object
    required: [name]
    properties:
      name: { type: string }
      nick: { type: string, x-nullable: true }
`

describe('a Swagger 2.0 document', () => {
  it('is read as OpenAPI 3.0', async () => {
    const { document } = await load({ 'openapi.yaml': swagger })
    const { api, diagnostics } = isolate(document ?? expect.fail())
    expect(diagnostics).toEqual([])
    expect(api?.servers).toEqual([{ url: 'https://api.example/v1', variables: {} }])
    expect(
      api?.operations.map(({ id, security, parameters, body, responses }) => [
        id,
        security,
        parameters,
        body?.contents[0]?.fields,
        responses.map((one) =>
          one.contents.map(({ mediaType, schema }) => `${one.status} ${mediaType} ${schema.kind}`),
        ),
      ]),
    ).toMatchObject([
      [
        'putPet',
        [['key']],
        [
          { name: 'id', schema: { kind: 'number', integer: true } },
          { name: 'ids', style: 'pipeDelimited', explode: false },
        ],
        ['name', 'nick'],
        [['200 application/json ref'], ['400 application/json string']],
      ],
      ['sendPhoto', [['key']], [{ name: 'id' }], ['photo', 'tags'], [['200 image/png binary']]],
    ])
  })

  it('keeps the formats of arrays in a form, which the library omits', async () => {
    const fields = ['csv', 'ssv', 'pipes', 'multi'].map(
      (format) =>
        `{ name: ${format}, in: formData, type: array, collectionFormat: ${format}, items: { type: string } }`,
    )
    const text = `swagger: "2.0"
info: { title: T, version: "1" }
parameters: { none: { name: none, in: formData, type: array, items: { type: string } } }
paths: { /a: { post: { parameters: [$ref: '#/parameters/none', ${fields.join(', ')}], responses: {} } } }
`
    const { document } = await load({ 'openapi.yaml': text })
    const { api } = isolate(document ?? expect.fail())
    const [content] = api?.operations[0]?.body?.contents ?? []
    expect(content?.fields).toEqual(['none', 'csv', 'ssv', 'pipes', 'multi'])
    expect(content?.encoding).toEqual({
      none: { style: 'form', explode: false },
      csv: { style: 'form', explode: false },
      ssv: { style: 'spaceDelimited', explode: false },
      pipes: { style: 'pipeDelimited', explode: false },
    })
    expect(JSON.stringify(document?.root)).not.toContain('collectionFormat')
  })

  it('gives an operation the bodies of its path, its own media types, and a file a form', async () => {
    const text = `swagger: "2.0"
info: { title: T, version: "1" }
consumes: [application/json]
produces: [application/json]
parameters:
  Name: { name: name, in: formData, type: string }
  Body: { name: body, in: body, schema: { type: number } }
responses: { Bad: { description: Bad, schema: { type: string } } }
paths:
  /form:
    parameters: [{ $ref: '#/parameters/Name' }]
    get: { responses: { 204: { description: Done } } }
    post: { responses: { 204: { description: Done } } }
    put: { parameters: [{ name: name, in: formData, type: integer }], responses: { 204: { description: Done } } }
    patch: { parameters: [{ name: photo, in: formData, type: file }], responses: { 204: { description: Done } } }
  /body:
    parameters: [{ $ref: '#/parameters/Body' }]
    post: { produces: [application/problem+json], responses: { 400: { $ref: '#/responses/Bad' } } }
    put: { parameters: [{ name: own, in: body, schema: { type: string } }], responses: { 400: { $ref: '#/responses/Bad' } } }
`
    const { document } = await load({ 'openapi.yaml': text })
    const { api, diagnostics } = isolate(document ?? expect.fail())
    expect(diagnostics).toEqual([])
    const bodies = (api?.operations ?? []).map(({ method, path, body, responses }) => [
      `${method} ${path}`,
      body?.contents.map(({ mediaType, schema, fields }) => [mediaType, schema.kind, ...fields]),
      responses.flatMap(({ contents }) => contents.map(({ mediaType }) => mediaType)),
    ])
    const form = 'application/x-www-form-urlencoded'
    expect(bodies).toEqual([
      ['get /form', undefined, []],
      ['put /form', [[form, 'object', 'name']], []],
      ['post /form', [[form, 'object', 'name']], []],
      ['patch /form', [['multipart/form-data', 'object', 'photo', 'name']], []],
      ['put /body', [['application/json', 'string']], ['application/json']],
      ['post /body', [['application/json', 'number']], ['application/problem+json']],
    ])
  })

  it.each([
    ['type: array, items: { type: string }, collectionFormat: tsv', '"tsv"', 'csv, ssv, pipes'],
    [
      'type: array, items: { type: array, items: { type: string }, collectionFormat: pipes }',
      '"pipes"',
      'no array within an array',
    ],
    [
      'type: array, items: { type: array, items: { type: string } }',
      '"csv"',
      'no array within an array',
    ],
    ['type: array, items: { type: string }, in: header, collectionFormat: pipes', '"pipes"', 'csv'],
  ])('reports the format of an array that is lost in %s', async (list, found, expected) => {
    const text = `swagger: "2.0"
info: { title: T, version: "1" }
paths: { /a: { post: { parameters: [{ name: a, ${list.includes('in:') ? '' : 'in: query, '}${list} }, { name: b, in: body, schema: { type: array, items: { type: array, items: {} } } }], responses: { 204: { description: Done } } } } }
`
    expect(await diagnose({ 'openapi.yaml': text })).toMatchObject([
      { code: 'FB4039', found, expected: expect.stringContaining(expected) as unknown },
    ])
  })

  it('reads an array in a response header as a string if commas do not separate it', async () => {
    const headers = ['csv', 'ssv', 'pipes', 'tsv'].map(
      (format) =>
        `${format}: { type: array, collectionFormat: ${format}, items: { type: string } }`,
    )
    const text = `swagger: "2.0"
info: { title: T, version: "1" }
paths: { /a: { get: { responses: { 204: { description: Done, headers: { none: { type: array, items: { type: string } }, ${headers.join(', ')} } } } } } }
`
    const { document, diagnostics } = await load({ 'openapi.yaml': text })
    expect(diagnostics.map(({ code, found, expected }) => [code, found, expected])).toEqual(
      ['"ssv"', '"pipes"', '"tsv"'].map((format) => ['FB4039', format, 'csv']),
    )
    const { api } = isolate(document ?? expect.fail())
    const [response] = api?.operations[0]?.responses ?? []
    expect(response?.headers.map(({ name, schema }) => `${name} ${schema.kind}`)).toEqual([
      'none array',
      'csv array',
      'ssv string',
      'pipes string',
      'tsv string',
    ])
  })

  it('keeps null in an array, which the library omits', async () => {
    const text =
      'swagger: "2.0"\ninfo: { title: T, version: "1" }\npaths: {}\ndefinitions: { A: { type: string, enum: [a, null] } }\n'
    const { document } = await load({ 'openapi.yaml': text })
    expect(document?.root['components']).toEqual({
      schemas: { A: { type: 'string', enum: ['a', null] } },
    })
  })

  it('reports what it cannot convert in one place, without a stack', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    try {
      const text =
        'swagger: "2.0"\ninfo: { title: T, version: "1" }\npaths: { /a: { post: { operationId: [a], parameters: [{ name: b, in: formData, type: string }] } } }\n'
      expect((await diagnose({ 'openapi.yaml': text })).map(({ code }) => code)).toEqual(['FB1005'])
      expect(warn).not.toHaveBeenCalled()
    } finally {
      warn.mockRestore()
    }
  })

  const at = async (before: string, after: string): Promise<readonly string[]> =>
    (await diagnose({ 'openapi.yaml': swagger.replace(before, after) })).map(
      ({ code, place }) => `${code} ${place.line} ${place.pointer}`,
    )

  it.each([
    [
      'nick: { type: string',
      'nick: { type: strong',
      'FB3001 42 /definitions/Pet/properties/nick/type',
    ],
    [
      'items: { type: string } }\nresponses',
      'items: { type: strong } }\nresponses',
      'FB3001 9 /parameters/Ids/items/type',
    ],
    [
      '{ type: string } }\nsecurity',
      '{ type: strong } }\nsecurity',
      'FB3001 11 /responses/Bad/schema/type',
    ],
    ['type: integer', 'type: strong', 'FB3001 18 /paths/~1pets~1{id}/parameters/0/type'],
    [
      "$ref: '#/parameters/Ids'",
      '{ name: x, in: query, type: strong }',
      'FB3001 23 /paths/~1pets~1{id}/put/parameters/1/type',
    ],
    [
      "$ref: '#/parameters/Pet'",
      '{ name: x, in: body, schema: { type: strong } }',
      'FB3001 22 /paths/~1pets~1{id}/put/parameters/0/schema/type',
    ],
    [
      "200: { description: Done, schema: { $ref: '#/definitions/Pet' } }",
      '200: { description: Done, schema: { type: strong } }',
      'FB3001 25 /paths/~1pets~1{id}/put/responses/200/schema/type',
    ],
    [
      "200: { description: Done, schema: { $ref: '#/definitions/Pet' } }",
      '200x: { description: Done }',
      'FB4006 25 /paths/~1pets~1{id}/put/responses/200x',
    ],
    [
      'array, items: { type: string } }\n      responses',
      'array, items: { type: strong } }\n      responses',
      'FB3001 33 /paths/~1pets~1{id}/post/parameters/1/items/type',
    ],
    ['security: [{ key', 'security: [{ keys', 'FB4004 14 /security/0'],
  ])('has its errors reported at their original locations: %s', async (before, after, expected) => {
    expect(await at(before, after)).toEqual([expected])
  })
})
