import { describe, expect, it } from 'vitest'
import { diagnose, load } from '../../test/documents.js'
import { formatDiagnostic } from '../diagnostics.js'

const head = 'openapi: 3.1.0\ninfo: { title: Test, version: "1" }\n'

const codes = async (
  files: Readonly<Record<string, string>>,
  entry?: string,
): Promise<readonly string[]> =>
  (await diagnose(files, entry)).map(
    ({ code, place }) => `${code} ${place.file}:${place.line}:${place.column}`,
  )

describe('a document of several files', () => {
  const files = {
    'openapi.yaml': `${head}paths:\n  /pets/{id}:\n    $ref: paths/pet.yaml\ncomponents:\n  schemas:\n    Animal:\n      $ref: schemas/pet.yaml\n`,
    'paths/pet.yaml':
      'parameters:\n  - $ref: ../parameters/id.yaml\nget:\n  responses:\n    "200":\n      description: A pet.\n      content:\n        application/json:\n          schema:\n            $ref: ../schemas/pet.yaml\n',
    'parameters/id.yaml':
      'name: id\nin: path\nrequired: true\nschema:\n  $ref: ../schemas/common.yaml#/Id\n',
    'schemas/pet.yaml': 'type: object\nproperties:\n  owner:\n    $ref: standard-owner.yaml\n',
    'schemas/standard-owner.yaml':
      'type: object\nproperties:\n  pets:\n    type: array\n    items:\n      $ref: ./pet.yaml\n',
    'schemas/common.yaml': 'Id:\n  type: string\n',
  }

  it('is bundled, with the same file as the same component', async () => {
    const { document } = await load(files)
    expect(document?.root).toEqual({
      openapi: '3.1.0',
      info: { title: 'Test', version: '1' },
      paths: {
        '/pets/{id}': {
          parameters: [{ $ref: '#/components/parameters/id' }],
          get: {
            responses: {
              '200': {
                description: 'A pet.',
                content: {
                  'application/json': { schema: { $ref: '#/components/schemas/Animal' } },
                },
              },
            },
          },
        },
      },
      components: {
        schemas: {
          Animal: {
            type: 'object',
            properties: { owner: { $ref: '#/components/schemas/StandardOwner' } },
          },
          StandardOwner: {
            type: 'object',
            properties: { pets: { type: 'array', items: { $ref: '#/components/schemas/Animal' } } },
          },
          Id: { type: 'string' },
        },
        parameters: {
          id: {
            name: 'id',
            in: 'path',
            required: true,
            schema: { $ref: '#/components/schemas/Id' },
          },
        },
      },
    })
  })

  it('remembers where each node was written', async () => {
    const { document } = await load(files)
    expect(document?.place('/components/schemas/Animal/properties/owner')).toMatchObject({
      file: 'schemas/pet.yaml',
      line: 3,
      column: 3,
      pointer: '/properties/owner',
    })
    expect(document?.place('/paths/~1pets~1{id}/get/responses/200')).toMatchObject({
      file: 'paths/pet.yaml',
      line: 5,
      column: 5,
    })
    expect(document?.place('/components/schemas/Id')).toMatchObject({
      file: 'schemas/common.yaml',
      line: 1,
      pointer: '/Id',
    })
  })

  it('names two files of one name differently', async () => {
    const { document } = await load({
      'openapi.yaml': `${head}components:\n  schemas:\n    All:\n      anyOf:\n        - $ref: a/item.yaml\n        - $ref: b/item.yaml\n`,
      'a/item.yaml': 'type: string\n',
      'b/item.yaml': 'type: number\n',
    })
    expect(document?.root['components']).toMatchObject({
      schemas: { item: { type: 'string' }, item2: { type: 'number' } },
    })
  })

  it('keeps each YAML key as written', async () => {
    const keys = ['null', '~', 'true', '1.50', '0x10', '2020-01-01', '1_000']
    const text = `openapi: 3.1.0\ncomponents:\n  schemas:\n    A:\n      type: object\n      properties:\n${keys.map((key) => `        ${key}: {}\n`).join('')}`
    const { document } = await load({ 'openapi.yaml': text })
    expect(document?.root['components']).toEqual({
      schemas: {
        A: { type: 'object', properties: Object.fromEntries(keys.map((key) => [key, {}])) },
      },
    })
  })

  it('ignores a $ref in an example', async () => {
    const { document } = await load({
      'openapi.yaml': `${head}components:\n  schemas:\n    A:\n      example:\n        $ref: nowhere.yaml\n`,
    })
    expect(document?.root['components']).toEqual({
      schemas: { A: { example: { $ref: 'nowhere.yaml' } } },
    })
  })

  it('follows an anchor, an escaped pointer and an intermediate reference', async () => {
    const { document, diagnostics } = await load({
      'openapi.yaml': `${head}components:\n  schemas:\n    A/b:\n      $anchor: here\n      properties: { c: { type: string } }\n    Alias: { $ref: '#/components/schemas/A~1b' }\n    ByAnchor: { $ref: '#here' }\n    ByPercent: { $ref: '#/components/schemas/A%7E1b' }\n    Through: { $ref: '#/components/schemas/Alias/properties/c' }\n`,
    })
    expect(diagnostics).toEqual([])
    expect(document?.root['components']).toMatchObject({
      schemas: {
        ByAnchor: { $ref: '#/components/schemas/A~1b' },
        ByPercent: { $ref: '#/components/schemas/A~1b' },
        Through: { $ref: '#/components/schemas/ABC' },
        ABC: { type: 'string' },
      },
    })
  })
})

describe('a document that cannot be read', () => {
  it('because of invalid YAML is reported with line and column', async () => {
    const [fault] = await diagnose({
      'openapi.yaml': 'openapi: 3.1.0\ninfo:\n  title: "Test\npaths: {}\n',
    })
    expect(fault?.code).toBe('FB1002')
    expect(fault?.place).toMatchObject({ file: 'openapi.yaml' })
    expect(await codes({ 'openapi.yaml': 'openapi: 3.1.0\ninfo: [1, 2\npaths: {}\n' })).toEqual([
      'FB1002 openapi.yaml:3:1',
    ])
  })

  it('because of invalid JSON is reported with its line', async () => {
    expect(
      await codes({ 'openapi.json': '{\n  "openapi": "3.1.0",\n  "info" {}\n}' }, 'openapi.json'),
    ).toContain('FB1002 openapi.json:3:10')
  })

  it.each([
    ['{\n  "a": 1,\n}', '3:1', '"}"', 'a key in double quotes'],
    ['{\r\n  "a": [1, 2,\r\n  ] }', '3:3', '"] }"', 'a value of JSON'],
    ['{\n  // why\n  "a": 1 }', '2:3', '"// why"', 'a key in double quotes or "}"'],
    ['{ "a": {}, b: 1 }', '1:12', '"b: 1 }"', 'a key in double quotes'],
    ['{ "a": {} "b": 1 }', '1:11', '"\\"b\\": 1 }"', '"," or "}"'],
    ['{ "a" 1 }', '1:7', '"1 }"', '":"'],
    ['{ "a": [01] }', '1:9', '"01] }"', 'a value of JSON or "]"'],
    ['{ "a": ["b" }', '1:13', '"}"', '"," or "]"'],
    ['{ "a": \'b\' }', '1:8', '"\'b\' }"', 'a value of JSON'],
    ['{ "a": "b\n" }', '1:8', '"\\"b"', 'a value of JSON'],
    ['{ "a": 1', '1:9', 'the end of the file', '"," or "}"'],
    ['{} {}', '1:4', '"{}"', 'the end of the file'],
    ['openapi: 3.1.0', '1:1', '"openapi: 3.1.0"', 'a value of JSON'],
  ])(
    'because JSON is truncated in %j is reported with the location',
    async (text, at, found, expected) => {
      const faults = await diagnose({ 'a.json': text }, 'a.json')
      expect(faults.map(({ code, place }) => `${code} ${place.line}:${place.column}`)).toEqual([
        `FB1002 ${at}`,
      ])
      expect(faults[0]).toMatchObject({ found, expected })
    },
  )

  it('because of an alias within its own anchor is reported with its location', async () => {
    const text = `${head}components:\n  schemas:\n    A: &a\n      properties:\n        b: { items: [&b { not: *b }, *a] }\n`
    const [fault] = await diagnose({ 'openapi.yaml': text })
    expect(fault).toMatchObject({
      code: 'FB1002',
      place: { line: 7, pointer: '/components/schemas/A/properties/b/items/0/not' },
    })
    expect(fault?.found).toBe('an alias within its own anchor')
  })

  it('because aliases expand too much is reported', async () => {
    const many = (count: number, item: string) =>
      `[${Array.from({ length: count }, () => item).join(', ')}]`
    const text = (aliases: number) =>
      `${head}x-a: &a ${many(2000, '1')}\nx-b: ${many(aliases, '*a')}\n`
    expect(await codes({ 'openapi.yaml': text(2000) })).toEqual(['FB1002 openapi.yaml:1:1'])
    expect(await codes({ 'openapi.yaml': text(200) })).toEqual([])
  })

  it('because of a duplicate key is reported at the second one, in YAML and in JSON', async () => {
    expect(
      await codes({ 'openapi.yaml': 'openapi: 3.1.0\ninfo:\n  title: A\n  title: B\n' }),
    ).toEqual(['FB1003 openapi.yaml:4:3'])
    expect(
      await codes(
        {
          'openapi.json':
            '{ "openapi": "3.1.0",\n  "a": { "b\\"": [1, {}], "c": { "b\\"": 1 }, "b\\"": 2 } }',
        },
        'openapi.json',
      ),
    ).toEqual(['FB1003 openapi.json:2:45'])
  })

  it('is reported with columns in characters, even with a byte order mark and non-Latin text', async () => {
    const text = '\uFEFF{ "openapi": "3.1.0",\n  "été": "😀", "a": { "ключ": 1, "ключ": 2 } }'
    expect(await codes({ 'openapi.json': text }, 'openapi.json')).toEqual([
      'FB1003 openapi.json:2:34',
    ])
    const { document } = await load(
      { 'openapi.json': text.replace('"ключ": 2', '"другой": 2') },
      {},
      'openapi.json',
    )
    expect(document?.place('/a/другой')).toMatchObject({ line: 2, column: 34 })
  })

  it('because of Swagger 1.2 is reported with the supported versions', async () => {
    const [fault] = await diagnose({ 'openapi.yaml': 'swagger: "1.2"\ninfo: {}\n' })
    expect(fault && formatDiagnostic(fault)).toBe(
      [
        'openapi.yaml:1:1 error FB1006: This version of OpenAPI is not supported.',
        '    1 | swagger: "1.2"',
        '      | ^',
        '    at        #/swagger',
        '    found     swagger: "1.2"',
        '    expected  swagger: 2.0, or openapi: 3.0.x, 3.1.x or 3.2.x',
        '    to do     Use OpenAPI 3.0.x, 3.1.x or 3.2.x, or Swagger 2.0.',
      ].join('\n'),
    )
  })

  it('because of an error in a referenced file is reported with that file', async () => {
    expect(
      await codes({
        'openapi.yaml': `${head}components:\n  schemas:\n    A: { $ref: a.yaml }\n`,
        'a.yaml': 'type: [\n',
      }),
    ).toContain('FB1002 a.yaml:2:1')
  })

  it('because a key is an array is reported with its location', async () => {
    const text = 'openapi: 3.1.0\npaths: {}\ncomponents:\n  schemas:\n    ? [a]\n    : {}\n'
    const [fault] = await diagnose({ 'openapi.yaml': text })
    expect([fault?.code, fault?.place.line, fault?.expected]).toEqual(['FB1002', 5, 'a string key'])
  })

  it('because of ten thousand levels is reported without a stack overflow', async () => {
    const deep = `{"openapi":"3.1.0","info":{},"components":{"schemas":{"A":${'{"items":'.repeat(10_000)}{}${'}'.repeat(10_000)}}}}`
    expect(
      (await diagnose({ 'openapi.json': deep }, 'openapi.json')).map(({ code }) => code),
    ).toEqual(['FB1007'])
    expect(
      (
        await diagnose({
          'openapi.yaml': `openapi: 3.1.0\na: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`,
        })
      ).map(({ code }) => code),
    ).toContain('FB1007')
  })
})

describe('a reference that leaves the folder', () => {
  const entry = (ref: string): string =>
    `${head}components:\n  schemas:\n    A:\n      $ref: ${ref}\n`

  it('is rejected', async () => {
    expect(
      await codes(
        { 'api/openapi.yaml': entry('../secret.yaml'), 'secret.yaml': 'type: string\n' },
        'api/openapi.yaml',
      ),
    ).toEqual(['FB2003 api/openapi.yaml:6:7'])
    expect(await codes({ 'openapi.yaml': entry('https://example.com/a.yaml') })).toEqual([
      'FB2003 openapi.yaml:6:7',
    ])
    expect(await codes({ 'openapi.yaml': entry('/etc/hostname') })).toEqual([
      'FB2003 openapi.yaml:6:7',
    ])
  })

  it('is followed if allowed', async () => {
    const local = await load(
      { 'api/openapi.yaml': entry('../other.yaml'), 'other.yaml': 'type: string\n' },
      { allowRefs: true },
      'api/openapi.yaml',
    )
    expect(local.document?.root['components']).toEqual({ schemas: { A: { type: 'string' } } })
    const fetch = async (): Promise<Response> => new Response('type: number\n')
    const remote = await load(
      { 'openapi.yaml': entry('https://example.com/a.yaml') },
      { allowRefs: true, fetch },
    )
    expect(remote.document?.root['components']).toEqual({ schemas: { A: { type: 'number' } } })
  })
})
