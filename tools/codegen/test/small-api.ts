import type { Api } from '../src/ir/api.js'
import { loadDocument } from '../src/document/load.js'
import { buildApi } from '../src/ir/build.js'
import { withFiles } from './documents.js'

/** An API that has, in few lines, what the emitters must tell apart. */
export async function buildSmallApi(): Promise<Api> {
  return withFiles({ 'small.yaml': smallDocument }, async (cwd) => {
    const { document } = await loadDocument('small.yaml', { cwd })
    const api = document && buildApi(document).api
    if (api === undefined) throw new Error('The small document cannot be built.')
    return api
  })
}

/** The same as text. */
export const smallDocument = `
openapi: 3.1.0
info: { title: Small API, version: '1' }
servers: [{ url: https://api.example/v1 }]
x-limits: { free: 10, paid: 100 }
x-names: [a, b]
tags: [{ name: Pets }]
security: [{ key: [] }]
paths:
  /pets/{id}:
    get:
      operationId: getPet
      summary: One pet
      description: By its id.
      tags: [Pets]
      x-rate-limit: slow
      x-samples: [{ lang: curl }]
      parameters:
        - { name: id, in: path, required: true, description: Its id., schema: { type: string } }
        - { name: X-Key, in: header, required: true, schema: { type: string } }
        - { name: fields, in: query, style: pipeDelimited, explode: false, schema: { type: array, items: { type: string, enum: [a, b] }, default: [a] } }
      responses:
        '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
        '404': { description: no, content: { application/json: { schema: { type: object, properties: { error: { type: string } }, required: [error], additionalProperties: false } } } }
  /pets:
    post:
      operationId: add_pet
      deprecated: true
      x-id: shadow
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }
      responses:
        '201': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } }, text/csv: { schema: { type: string } } } }
        '204': { description: none }
        4XX: { description: no, content: { application/json: { schema: {} } } }
        default: { description: no, content: { text/plain: { schema: { type: string } } } }
  /photo:
    put:
      operationId: upload
      requestBody:
        content: { multipart/form-data: { schema: { $ref: '#/components/schemas/Form' }, encoding: { photo: { contentType: 'image/png' } } } }
      responses:
        '200': { description: ok, content: { image/png: {} } }
  /xml:
    post:
      operationId: sendXml
      security: []
      requestBody: { required: true, content: { application/xml: { schema: { $ref: '#/components/schemas/Pet' } } } }
      responses:
        default: { description: any, content: { '*/*': { schema: { $ref: '#/components/schemas/Pet' } } } }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }
  schemas:
    Pet:
      description: A pet.
      type: object
      properties:
        id: { type: string, readOnly: true }
        name: { type: string, default: Rex }
      required: [id, name]
    Form:
      type: object
      properties:
        photo: { type: string, format: binary }
        more: { type: array, items: { $ref: '#/components/schemas/Bytes' } }
        pet: { $ref: '#/components/schemas/Pet' }
      required: [photo]
    Bytes: { type: string, format: binary }
`
