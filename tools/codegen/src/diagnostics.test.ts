import { describe, expect, it } from 'vitest'
import { diagnose, load, withFiles } from '../test/documents.js'
import { catalogue, formatDiagnostic, show } from './diagnostics.js'
import type { Code } from './diagnostics.js'
import { loadDocument } from './document/load.js'
import { readFilter, select } from './select/select.js'

const withSchema = (text: string): string =>
  createDocument(`components:\n  schemas:\n    A: ${text}\n`)
const withOperation = (text: string, path = '/a', method = 'get'): string =>
  createDocument(`paths:\n  ${path}:\n    ${method}: ${text}\n`)
const createDocument = (rest: string, version = '3.1.0'): string =>
  `openapi: ${version}\ninfo: { title: Test, version: "1" }\n${rest}`
const createDoublingItems = (count: number): string =>
  Array.from({ length: count }, (_, index) => {
    const next = `'#/components/pathItems/P${index + 1}'`
    return `    P${index}: { get: { callbacks: { a: { x: { $ref: ${next} } }, b: { x: { $ref: ${next} } } } } }\n`
  }).join('') + `    P${count}: {}\n`
/** Three choices of 13 ways each to one list, which are 2,197 lists. */
function createManyWays(): string {
  const at = ([name, next]: readonly [string, string], way: number): string =>
    `{ $id: ${name}${way}, $defs: { x: { $dynamicAnchor: ${name}, const: ${way} } }, $ref: ${next} }`
  const choice = (step: readonly [string, string]): string =>
    `{ $id: ${step[0]}, anyOf: [${Array.from({ length: 13 }, (_, way) => at(step, way)).join()}] }`
  const list = ['a', 'b', 'c'].map(
    (name) =>
      `{ $id: list-${name}, $dynamicRef: '#${name}', $defs: { x: { $dynamicAnchor: ${name} } } }`,
  )
  const steps = [
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'list'],
  ] as const
  return `{ $id: 'https://ways.example/', $ref: a, $defs: { list: { $id: list, allOf: [${list.join()}] }, ${steps
    .map((step) => `${step[0]}: ${choice(step)}`)
    .join()} } }`
}

const ok = 'responses: { 200: { description: Done } }'

/** For each code a document that has this fault and no other, and the line of the fault. */
const faults: Readonly<Record<Code, readonly [text: string | Uint8Array, line: number]>> = {
  FB1001: ['', 1],
  FB1002: ['openapi: [3.1.0\n', 2],
  FB1003: ['openapi: 3.1.0\nopenapi: 3.1.0\n', 2],
  FB1004: ['- openapi\n', 1],
  FB1005: ['swagger: "2.0"\nhost: api.example\nbasePath: {}\n', 1],
  FB1006: ['openapi: 4.0.0\n', 1],
  FB1007: [withSchema(`${'{ items: '.repeat(300)}{}${' }'.repeat(300)}`), 5],
  FB1008: [createDocument(`paths: {}\ncomponents:\n  pathItems:\n${createDoublingItems(20)}`), 24],
  FB1009: [withOperation(`{ ${ok}, operationID: x }`), 5],
  FB1010: [createDocument('paths: {}\n'), 1],
  FB1011: [Buffer.from(withOperation(`{ ${ok}, summary: Caf\xe9 }`), 'latin1'), 5],
  // the document is its own overlay here
  FB1012: [
    createDocument('paths: {}\noverlay: 1.2.0\nactions: [{ target: $.nothing, remove: true }]\n'),
    5,
  ],
  FB1013: [withOperation(`{ ${ok} }`), 3],
  FB1014: [withOperation(`{ ${ok} }`), 3],
  FB2001: [withSchema("{ $ref: '#/components/schemas/B' }"), 5],
  FB2002: [withSchema('{ $ref: b.yaml }'), 5],
  FB2003: [withSchema('{ $ref: ../b.yaml }'), 5],
  FB2004: [withSchema("{ anyOf: [{ $ref: '#/components/schemas/A' }] }"), 5],
  FB2005: [withOperation(`{ ${ok}, callbacks: { c: { x: { $ref: '#/paths/~1a' } } } }`), 5],
  FB2006: [withSchema(createManyWays()), 5],
  FB2007: [
    createDocument(
      `paths:\n  /a:\n    parameters: [{ $ref: '#/components/schemas/A' }]\ncomponents:\n  schemas:\n    A: {}\n`,
    ),
    5,
  ],
  FB3001: [withSchema('{ type: file }'), 5],
  FB3002: [withSchema('{ type: string, minLength: -1 }'), 5],
  FB3003: [withSchema('{ enum: [] }'), 5],
  FB3004: [withSchema('{ type: string, minLength: 2, maxLength: 1 }'), 5],
  FB3005: [withSchema("{ patternProperties: { '(': {} } }"), 5],
  FB3006: [withSchema("{ type: string, pattern: 'a\\@b{' }"), 5],
  FB3007: [withSchema('7'), 5],
  FB3008: [withSchema('{ type: object, required: true }'), 5],
  FB3009: [withSchema("{ type: string, pattern: '(' }"), 5],
  FB3010: [withSchema('{ type: string, example: 1 }'), 5],
  FB3011: [withSchema('{ type: string, default: 1 }'), 5],
  FB3012: [withSchema(`{ type: string, pattern: '^([a-z]+)*$', default: ${'a'.repeat(50)}0 }`), 5],
  FB3013: [createDocument('components:\n  schemas:\n    A: { type: array }\n', '3.0.3'), 5],
  FB3014: [withSchema('{ type: [string, null] }'), 5],
  FB3015: [withSchema('{ anyOf: [{ type: string }, { type: string, format: date-time }] }'), 5],
  FB3016: [withSchema('{ type: string, x-extensible-enum: a }'), 5],
  FB3017: [
    withOperation(
      '{ responses: { 200: { description: Done, content: { application/json: { schema: { items: { format: binary } } } } } } }',
    ),
    5,
  ],
  FB3018: [
    withSchema('{ type: object, additionalProperties: false, allOf: [{ properties: { a: {} } }] }'),
    5,
  ],
  FB3019: [
    createDocument(
      "components:\n  schemas:\n    A: {}\n    B: { $ref: '#/components/schemas/A', nullable: true, description: B. }\n",
      '3.0.3',
    ),
    6,
  ],
  FB4001: [
    createDocument(
      `paths:\n  /a:\n    get: { operationId: x, ${ok} }\n    put: { operationId: x, ${ok} }\n`,
    ),
    6,
  ],
  FB4002: [withOperation(`{ ${ok} }`, '/a/{id}'), 5],
  FB4003: [
    withOperation(`{ ${ok}, parameters: [{ name: id, in: path, required: true, schema: {} }] }`),
    5,
  ],
  FB4004: [withOperation(`{ ${ok}, security: [{ key: [] }] }`), 5],
  FB4005: [createDocument('paths:\n  /a:\n    get: {}\n', '3.0.3'), 5],
  FB4006: [withOperation('{ responses: { OK: { description: Done } } }'), 5],
  FB4007: [
    withOperation(
      `{ ${ok}, parameters: [{ name: id, in: query, schema: {} }, { name: Id, in: header, schema: {} }] }`,
    ),
    5,
  ],
  FB4036: [withOperation(`{ ${ok} }`, '/a#b'), 4],
  FB4037: [withOperation(`{ ${ok}, requestBody: { content: {} } }`), 5],
  FB4038: [
    withOperation('{ responses: { 204: { description: Done, content: { text/plain: {} } } } }'),
    5,
  ],
  FB4039: [
    'swagger: "2.0"\ninfo: { title: Test, version: "1" }\npaths:\n  /a:\n    get:\n      parameters: [{ name: a, in: query, type: array, items: { type: string }, collectionFormat: tsv }]\n      responses: { 200: { description: Done } }\n',
    6,
  ],
  FB4041: [
    withOperation(
      `{ ${ok}, requestBody: { content: { multipart/form-data: { schema: { type: object, properties: { a: {} } }, encoding: { a: { headers: { X-A: { required: true, schema: {} } } } } } } } }`,
      '/a',
      'put',
    ),
    5,
  ],
  FB4040: [
    createDocument(
      ['b', 'c'].reduce(
        (paths, name) =>
          `${paths}  /a/{${name}}:\n    parameters: [{ name: ${name}, in: path, required: true, schema: {} }]\n    get: { ${ok} }\n`,
        'paths:\n',
      ),
    ),
    9,
  ],
  FB4008: [withOperation(`{ ${ok}, parameters: [{ name: id, in: body, schema: {} }] }`), 5],
  FB4009: [withOperation(`{ ${ok}, parameters: [{ name: id, in: query }] }`), 5],
  FB4010: [withOperation(`{ ${ok}, parameters: [{ name: Accept, in: header, schema: {} }] }`), 5],
  FB4011: [withOperation(`{ ${ok} }`, 'a'), 4],
  FB4012: [withOperation('7'), 5],
  FB4013: [
    withOperation(`{ ${ok}, parameters: [{ name: id, in: query, style: matrix, schema: {} }] }`),
    5,
  ],
  FB4014: [
    withOperation(
      `{ ${ok}, parameters: [{ name: X-A, in: header, schema: {} },\n      { name: x-a, in: header, schema: { type: integer } },\n      { name: X-A, in: query, schema: {} }] }`,
    ),
    6,
  ],
  FB4015: [
    withOperation('{ responses: { 4XX: { description: Done },\n      4xx: { description: No } } }'),
    6,
  ],
  FB4016: [
    createDocument(
      `paths:\n  /a:\n    get: { operationId: x, ${ok} }\nwebhooks:\n  b:\n    get: { operationId: x, ${ok}, description: Another }\n`,
    ),
    8,
  ],
  FB4017: [withOperation(`{ ${ok}, x-discovery: 402 }`), 5],
  FB4018: [withOperation(`{ ${ok}, x-pagination: { parametr: after } }`), 5],
  FB4030: [
    withOperation(
      `{ ${ok}, parameters: [{ name: a, in: query, schema: {} }, { name: q, in: querystring, content: { text/plain: {} } }] }`,
    ),
    5,
  ],
  FB4032: [
    withOperation(
      `{ ${ok}, requestBody: { content: { multipart/form-data: { schema: { type: object, properties: { a: { type: object } } }, encoding: { a: { contentType: text/xml } } } } } }`,
      '/a',
      'put',
    ),
    5,
  ],
  FB4033: [createDocument("paths: {}\nservers:\n  - url: 'https://{region}.example.com'\n"), 5],
  FB4034: [
    `openapi: 3.2.0\ninfo: {}\npaths:\n  /a:\n    additionalOperations: { A/B: { ${ok} } }\n`,
    5,
  ],
  FB4035: [createDocument(`paths:\n  /a:\n    trace: { ${ok} }\n`), 5],
  FB4031: [
    `openapi: 3.2.0\ninfo: {}\npaths:\n  /a:\n    additionalOperations: { POST: { ${ok} } }\n`,
    5,
  ],
}

async function listExcluded(cwd: string, filter: string) {
  const { document: whole } = await loadDocument('openapi.yaml', { cwd })
  return select(whole ?? expect.fail(), {
    include: [],
    exclude: [readFilter(filter) ?? expect.fail()],
    prune: false,
  }).diagnostics
}

describe('the error catalog', () => {
  it.each(Object.entries(faults))('reports only %s, with its line', async (code, [text, line]) => {
    const found =
      text === ''
        ? await withFiles(
            {},
            async (cwd) => (await loadDocument('openapi.yaml', { cwd })).diagnostics,
          )
        : code === 'FB1010' || code === 'FB1012'
          ? (await load({ 'openapi.yaml': text }, { overlays: ['openapi.yaml'] })).diagnostics
          : code === 'FB1013' || code === 'FB1014'
            ? await withFiles({ 'openapi.yaml': text }, async (cwd) =>
                listExcluded(cwd, code === 'FB1013' ? 'id:none' : 'path:/**'),
              )
            : await diagnose({ 'openapi.yaml': text })
    expect(
      found.map((diagnostic) => [diagnostic.code, diagnostic.place.file, diagnostic.place.line]),
    ).toEqual([[code, 'openapi.yaml', line]])
  })

  it('has a cause and a fix in sentences for each code', () => {
    for (const { cause, fix } of Object.values(catalogue)) {
      expect(cause).toMatch(/^\S.*\.$/)
      expect(fix).toMatch(/^\S.*\.$/)
    }
  })
})

describe('a run', () => {
  it('shows all errors of a document, in order of location', async () => {
    const text = createDocument(
      'components:\n  schemas:\n    A: { type: file }\n    B: { enum: [] }\n    C: { type: string, pattern: "(" }\n',
    )
    expect(
      (await diagnose({ 'openapi.yaml': text })).map(({ code, place }) => `${code} ${place.line}`),
    ).toEqual(['FB3001 5', 'FB3003 6', 'FB3009 7'])
  })

  it('shows an error of equal parts at each location', async () => {
    const parameter = '{ name: id, in: query, style: matrix, schema: { type: string } }'
    const response = '{ description: Done, content: { text/csv: { schema: { type: text } } } }'
    const withOperation = `{ parameters: [${parameter}], responses: { 200: ${response} } }`
    const text = createDocument(
      `paths:\n  /a:\n    get: ${withOperation}\n  /b:\n    get: ${withOperation}\n`,
    )
    const found = await diagnose({ 'openapi.yaml': text })
    expect(found.map(({ code, place: { line } }) => `${code} ${line}`)).toEqual([
      'FB4013 5',
      'FB3001 5',
      'FB4013 7',
      'FB3001 7',
    ])
  })
})

describe('a message', () => {
  it('shows the line and the column', async () => {
    const [found] = await diagnose({
      'openapi.yaml': createDocument('paths:\n  /a:\n    gett: {}\n'),
    })
    expect(found === undefined ? '' : formatDiagnostic(found))
      .toBe(`openapi.yaml:5:5 warning FB1009: The specification has no such field here, so it is ignored.
    5 |     gett: {}
      |     ^
    at        #/paths/~1a/gett
    found     "gett" in a pathItem
    expected  "get"; did you mean that?
    to do     Correct its name. Names of custom fields begin with x-.`)
  })

  it.each([
    ['JSON', 'openapi.json', (members: string) => `{"openapi":"3.1.0","info":{},${members}}`],
    ['YAML', 'openapi.yaml', (members: string) => `{openapi: 3.1.0, info: {}, ${members}}`],
  ])(
    'shows and keeps only the context of the location in a minified document of %s',
    async (_, file, documentWith) => {
      const longer = `"x-${'é😀'.repeat(500)}":"${'🚋'.repeat(500)}"`
      const schemas = Array.from(
        { length: 300 },
        (_, index) => `"S${index}":{${longer},"type":"file"}`,
      )
      const found = await diagnose(
        { [file]: documentWith(`"components":{"schemas":{${schemas.join()}}}`) },
        file,
      )
      expect(found).toHaveLength(schemas.length)
      expect(JSON.stringify(found).length).toBeLessThan(schemas.length * 1000)
      const lines = found.map((one) => formatDiagnostic(one).split('\n'))
      for (const [, line = '', caret = ''] of lines) {
        expect(line.length).toBeLessThan(140)
        expect(line.slice(caret.indexOf('^'))).toMatch(/^"type":"file"/)
      }
      const columns = Array.from(
        documentWith(`"components":{"schemas":{${schemas.join()}}}`).matchAll(/"type"/g),
        ({ index }) => index + 1,
      )
      expect(found.map(({ place }) => [place.line, place.column])).toEqual(
        columns.map((column) => [1, column]),
      )
    },
  )

  it('shows the context of the location in an invalid minified document', async () => {
    const text = `{"openapi":"3.1.0","info":{},"x":[${'1,'.repeat(100_000)}"here" "there"]}`
    const [found] = await diagnose({ 'openapi.json': text }, 'openapi.json')
    expect(found?.place).toMatchObject({ line: 1, column: text.indexOf('"there"') + 1 })
    expect(JSON.stringify(found).length).toBeLessThan(1000)
  })

  it('shows no control characters', () => {
    const excerpt = { text: 'a\u001b[31mb', caret: 1 }
    const place = { file: 'a', line: 12, column: 2, pointer: '', excerpt }
    const [, line] = formatDiagnostic({
      code: 'FB3001',
      severity: 'error',
      place,
      found: '',
      expected: '',
    }).split('\n')
    expect(line).toBe('    12 | a?[31mb')
  })
})

describe('unknown fields', () => {
  const fields = async (text: string, version?: string): Promise<readonly string[]> =>
    (await diagnose({ 'openapi.yaml': createDocument(text, version) }))
      .filter(({ code }) => code === 'FB1009')
      .map(({ found, expected }) => `${found}: ${expected}`)

  it('are reported wherever the specification closes the fields', async () => {
    const media =
      'paths: { /a: { get: { responses: { 200: { description: x, content: { a/b: { shema: {} } } } } } } }\n'
    expect(await fields(media)).toEqual(['"shema" in a mediaType: "schema"; did you mean that?'])
    const schema =
      'paths: {}\ncomponents: { schemas: { A: { discriminator: { propertName: kind, maping: {}, x-a: 1 } } } }\n'
    expect(await fields(schema)).toEqual([
      '"propertName" in a discriminator: "propertyName"; did you mean that?',
      '"maping" in a discriminator: "mapping"; did you mean that?',
    ])
    expect(await fields('component: {}\n')).toEqual([
      '"component" in a document: "components"; did you mean that?',
    ])
    expect(await fields('mine: {}\nx-mine: {}\n')).toEqual([
      '"mine" in a document: a field of OpenAPI',
    ])
  })

  it('of a schema are allowed in OpenAPI 3.1, except typos', async () => {
    const schemas =
      'components: { schemas: { A: { propertis: {}, mine: 1, properties: { mine: {} }, example: { mine: 1 } } } }\n'
    expect(await fields(schemas)).toEqual([
      '"propertis" in a schema: "properties"; did you mean that?',
    ])
    expect(await fields(schemas, '3.0.3')).toHaveLength(2)
  })
})

describe('show', () => {
  it('shortens a value to one line', () => {
    expect(show(undefined)).toBe('nothing')
    expect(show('a\nb')).toBe('"a\\nb"')
    expect(show({ a: 'x'.repeat(500) })).toBe('an object')
    expect(show(Array.from({ length: 50 }))).toBe('an array of 50')
    expect(show('x'.repeat(500))).toHaveLength(121)
  })
})
