import { collectDiagnostics, show } from '../diagnostics.js'
import type { Diagnostic } from '../diagnostics.js'
import { nearest } from '@farebox/command-line'
import { isObject, readOwn, pointerTo } from '../document/json.js'
import type { Json } from '../document/json.js'
import type { Document } from '../document/load.js'
import { findSlot, shapes } from '../document/shape.js'
import type { Shape } from '../document/shape.js'

type Place = {
  readonly node: Json
  readonly shape: Shape
  /** How its object leads to it. Its pointer is made only for a report. */
  readonly from?: { readonly parent: Place; readonly segments: readonly string[] }
}

/**
 * Reports fields that OpenAPI does not have, or not beside a `$ref`. A schema of OpenAPI 3.1 may
 * have any field, so only likely typos are reported there.
 */
export function findUnknownFields({ root, version, place }: Document): readonly Diagnostic[] {
  const { report, all } = collectDiagnostics()
  const reportField = (
    field: string,
    object: string,
    known: ReadonlySet<string>,
    parent: Place,
    segments: readonly string[],
  ): void => {
    const suggestion = nearest(field, known)
    report(
      'FB1009',
      place(printPointer(parent, segments)),
      `${show(field)} in a ${object}`,
      suggestion === undefined ? 'a field of OpenAPI' : `${show(suggestion)}; did you mean that?`,
    )
  }
  const stack: Place[] = [{ node: root, shape: 'document' }]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, shape } = next
    if (!isObject(node)) continue
    if (readOwn(node, '$ref') !== undefined) {
      if (shape === 'schema' && version === '3.0')
        for (const key of Object.keys(node))
          if (constraints.has(key))
            report(
              'FB3019',
              place(printPointer(next, [key])),
              `${show(key)} beside $ref`,
              'only $ref',
            )
      continue
    }
    const known = knownFields.get(shape)
    for (const key of Object.keys(node)) {
      if (known?.has(key) === false && !key.startsWith('x-')) {
        const mayHaveAny = shape === 'schema' && version !== '3.0'
        if (!mayHaveAny || nearest(key, known) !== undefined)
          reportField(key, shape, known, next, [key])
      }
      if (shape === 'schema' && key === 'discriminator') {
        for (const field of Object.keys(isObject(node[key]) ? node[key] : {}))
          if (!discriminatorFields.has(field) && !field.startsWith('x-'))
            reportField(field, 'discriminator', discriminatorFields, next, [key, field])
      }
      pushChildren(stack, node[key] as Json, next, key)
    }
  }
  return all()
}

function pushChildren(stack: Place[], value: Json, parent: Place, key: string): void {
  const slot = typeof value === 'object' && value !== null ? findSlot(parent.shape, key) : undefined
  if (slot === undefined) return
  const { shape, as } = slot
  if (as === 'one') stack.push({ node: value, shape, from: { parent, segments: [key] } })
  else
    for (const [name, node] of Object.entries(value as object))
      stack.push({ node: node as Json, shape, from: { parent, segments: [key, name] } })
}

function printPointer({ from }: Place, segments: readonly string[]): string {
  return from === undefined
    ? pointerTo('', ...segments)
    : printPointer(from.parent, [...from.segments, ...segments])
}

const splitWords = (text: string): readonly string[] => text.split(' ')

/** The fields of OpenAPI 3 without other OpenAPI objects, in addition to those of `shapes`. */
const plain: { readonly [S in Exclude<Shape, 'callback'>]: readonly string[] } = {
  document: splitWords('openapi $self info jsonSchemaDialect servers security tags externalDocs'),
  components: splitWords('mediaTypes'),
  pathItem: splitWords('summary description servers query additionalOperations'),
  operation: splitWords(
    'tags summary description externalDocs operationId deprecated security servers',
  ),
  parameter: splitWords(
    'name in description required deprecated allowEmptyValue style explode allowReserved example',
  ),
  header: splitWords(
    'description required deprecated allowEmptyValue style explode allowReserved example',
  ),
  requestBody: splitWords('description required'),
  response: splitWords('summary description'),
  mediaType: splitWords('example itemSchema prefixEncoding itemEncoding'),
  encoding: splitWords(
    'contentType style explode allowReserved encoding prefixEncoding itemEncoding',
  ),
  example: splitWords('summary description value externalValue dataValue serializedValue'),
  link: splitWords('operationRef operationId parameters requestBody description server'),
  securityScheme: splitWords(
    'type description name in scheme bearerFormat flows openIdConnectUrl oauth2MetadataUrl deprecated',
  ),
  schema: splitWords(
    '$id $schema $anchor $dynamicAnchor $dynamicRef $recursiveAnchor $recursiveRef $vocabulary $comment $defs definitions id ' +
      'title description default example examples deprecated readOnly writeOnly discriminator xml externalDocs nullable ' +
      'type enum const format required minLength maxLength pattern contentEncoding contentMediaType ' +
      'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems minContains maxContains ' +
      'minProperties maxProperties dependentRequired dependencies additionalItems',
  ),
}

/** Fields of a schema that say something of its values. Others are read beside a `$ref` too. */
const constraints: ReadonlySet<string> = new Set(
  splitWords(
    'nullable type enum format required minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum ' +
      'multipleOf minItems maxItems uniqueItems minProperties maxProperties properties additionalProperties items ' +
      'allOf anyOf oneOf not',
  ),
)

const discriminatorFields = new Set(['propertyName', 'mapping', 'defaultMapping'])

/** The names of the fields of each object; a callback has any. */
const knownFields: ReadonlyMap<Shape, ReadonlySet<string>> = new Map(
  Object.entries(plain).map(([shape, names]) => [
    shape as Shape,
    new Set(['$ref', ...names, ...Object.keys(shapes[shape as Shape])]),
  ]),
)
