import { shapes } from './shape.js'
import type { Shape } from './shape.js'

const words = (text: string): readonly string[] => text.split(' ')

/** The fields that hold no other object of OpenAPI, beside those of `shapes`. All of OpenAPI 3. */
const plain: { readonly [S in Exclude<Shape, 'callback'>]: readonly string[] } = {
  document: words('openapi $self info jsonSchemaDialect servers security tags externalDocs'),
  components: words('mediaTypes'),
  pathItem: words('summary description servers query additionalOperations'),
  operation: words('tags summary description externalDocs operationId deprecated security servers'),
  parameter: words('name in description required deprecated allowEmptyValue style explode allowReserved example'),
  header: words('description required deprecated allowEmptyValue style explode allowReserved example'),
  requestBody: words('description required'),
  response: words('summary description'),
  mediaType: words('example itemSchema prefixEncoding itemEncoding'),
  encoding: words('contentType style explode allowReserved encoding prefixEncoding itemEncoding'),
  example: words('summary description value externalValue dataValue serializedValue'),
  link: words('operationRef operationId parameters requestBody description server'),
  securityScheme: words('type description name in scheme bearerFormat flows openIdConnectUrl oauth2MetadataUrl deprecated'),
  schema: words(
    '$id $schema $anchor $dynamicAnchor $dynamicRef $recursiveAnchor $recursiveRef $vocabulary $comment $defs definitions id ' +
      'title description default example examples deprecated readOnly writeOnly discriminator xml externalDocs nullable ' +
      'type enum const format required minLength maxLength pattern contentEncoding contentMediaType ' +
      'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems minContains maxContains ' +
      'minProperties maxProperties dependentRequired dependencies additionalItems',
  ),
}

/** The names of the fields of each object; a callback has any. */
export const fieldsOf: ReadonlyMap<Shape, ReadonlySet<string>> = new Map(
  Object.entries(plain).map(([shape, names]) => [shape as Shape, new Set(['$ref', ...names, ...Object.keys(shapes[shape as Shape])])]),
)
