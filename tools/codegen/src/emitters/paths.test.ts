import { describe, expect, it } from 'vitest'
import { load } from '../../test/documents.js'
import { smallDocument } from '../../test/small-api.js'
import { printPaths } from '../document/print-paths.js'
import { renderFile } from '../emit/code.js'
import { buildApi } from '../ir/build.js'
import { paths } from './paths.js'

async function print(text: string): Promise<string> {
  const { document } = await load({ 'openapi.yaml': text })
  const api = document && buildApi(document).api
  if (document === undefined || api === undefined) throw new Error('The document cannot be built.')
  const files = paths.emit(api, {
    root: document.root,
    printPaths: (schemas) => printPaths(document, schemas),
  })
  return files
    .map((file) => renderFile(file, { banner: '// banner', resolve: (module) => module }))
    .join('\n')
}

const withBody = (schema: string, mediaType = 'application/json') => `
openapi: 3.1.0
info: { title: One, version: '1' }
paths:
  /a:
    post:
      operationId: a
      requestBody: { content: { ${mediaType}: { schema: ${schema} } } }
      responses: { '204': { description: Done } }
`

describe('the paths output', () => {
  it('matches openapi-typescript', async () => {
    const text = await print(smallDocument)
    expect(text).toMatch(/^export interface paths \{\n {4}"\/pets\/\{id\}": \{/m)
    expect(text).toMatch(/^ {8}get: operations\["getPet"\];$/m)
    expect(text).toMatch(/^export interface operations \{$/m)
  })

  it('uses the types of the types output for schemas', async () => {
    const text = await print(smallDocument)
    expect(text).toContain("import type * as types from '#types'")
    expect(text).toContain('    schemas: {\n        Pet: types.Pet;\n')
    expect(text).toContain('"application/json": components["schemas"]["Pet"];')
  })

  it('supports form bytes and boolean subschemas', async () => {
    expect(
      await print(
        withBody(
          '{ type: object, properties: { file: { type: string, format: binary } } }',
          'multipart/form-data',
        ),
      ),
    ).toContain('file?: Blob | Uint8Array;')
    expect(await print(withBody('{ allOf: [true, { type: string }] }'))).toContain(
      '"application/json": unknown & string;',
    )
  })

  it('has the methods of OpenAPI 3.2 in addition to those that openapi-typescript supports', async () => {
    const text = await print(`
openapi: 3.2.0
info: { title: Lines, version: '1' }
paths:
  /lines/{line}:
    parameters: [{ name: line, in: path, required: true, schema: { type: integer } }]
    query:
      operationId: searchLine
      requestBody: { required: true, content: { application/json: { schema: { type: string } } } }
      responses: { '200': { description: Found } }
    additionalOperations:
      COPY: { operationId: copyLine, responses: { '204': { description: Copied } } }
      M-SEARCH: { responses: { '204': { description: Found } } }
`)
    expect(text).toMatch(/^ {8}query: operations\["searchLine"\];$/m)
    expect(text).toMatch(/^ {8}COPY: operations\["copyLine"\];$/m)
    expect(text).toMatch(/^ {8}"M-SEARCH": \{$/m)
    expect(text).toMatch(/^ {8}get\?: never;$/m)
    expect(text.match(/^ {4}"\/lines/gm)).toHaveLength(1)
    expect(text).not.toContain('\\0')
    const [, search = ''] = /^ {4}searchLine: \{\n(.*?)^ {4}\};$/ms.exec(text) ?? []
    expect(search).toContain('line: number;')
    expect(search).toContain('"application/json": string;')
  })

  it('has an in: querystring parameter as the query type', async () => {
    const query = (parameter: string) => `
openapi: 3.2.0
info: { title: Query, version: '1' }
paths:
  /a:
    get:
      operationId: a
      parameters: [${parameter}]
      responses: { '204': { description: Done } }
components:
  schemas: { Filter: { type: object, properties: { a: { type: string } } } }
  parameters:
    Shared: { name: q, in: querystring, content: { application/json: { schema: { type: integer } } } }
`
    const form = await print(
      query(
        "{ name: q, in: querystring, required: true, content: { application/x-www-form-urlencoded: { schema: { $ref: '#/components/schemas/Filter' } } } }",
      ),
    )
    expect(form).toMatch(/^ {12}query: components\["schemas"\]\["Filter"\];$/m)
    const shared = await print(query("{ $ref: '#/components/parameters/Shared' }"))
    expect(shared).toMatch(/^ {12}query\?: components\["parameters"\]\["Shared"\];$/m)
    expect(shared).toMatch(/^ {8}Shared: number;$/m)
    expect(form + shared).not.toContain('querystring')
  })

  it('has a sequence of items as an array', async () => {
    const items = (schema: string) =>
      withBody(schema, 'application/jsonl')
        .replace('3.1.0', '3.2.0')
        .replace('schema:', 'itemSchema:')
    expect(await print(items('{ type: object, properties: { a: { type: string } } }'))).toContain(
      '"application/jsonl": {\n                    a?: string;\n                }[];',
    )
    const shared = `${items('{ type: string }').replace(/\{ itemSchema.*? \} \}/, "{ $ref: '#/components/mediaTypes/Lines' }")}
components: { mediaTypes: { Lines: { itemSchema: { type: string } } } }`
    expect(shared).toContain('$ref')
    expect(await print(shared)).toContain('"application/jsonl": string[];')
  })

  it('has the parameters, bodies and responses of Swagger 2.0', async () => {
    const text = await print(`
swagger: '2.0'
info: { title: Lines, version: '1' }
consumes: [application/json]
produces: [application/json]
paths:
  /lines/{line}:
    put:
      operationId: putLine
      parameters:
        - { name: line, in: path, required: true, type: integer }
        - { name: dry, in: query, type: boolean }
        - { name: body, in: body, required: true, schema: { $ref: '#/definitions/Line' } }
      responses: { '200': { description: Done, schema: { $ref: '#/definitions/Line' } } }
definitions: { Line: { type: object, properties: { name: { type: string } } } }
`)
    expect(text).toContain('line: number;')
    expect(text).toContain('dry?: boolean;')
    expect(text.match(/"application\/json": components\["schemas"\]\["Line"\];/g)).toHaveLength(2)
    expect(text).toContain('        Line: types.Line;')
  })

  it('imports nothing for a document without schemas', async () => {
    expect(await print(withBody('{ type: string }'))).not.toContain('import')
  })
})
