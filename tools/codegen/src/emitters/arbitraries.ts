import { code, type Code, join, namespace, sourceFile, symbol } from '../emit/code.js'
import type { Emitter } from '../emit/emitter.js'
import {
  docComment,
  literal,
  describeOrigin,
  printData,
  property,
  propertyKey,
} from '../emit/literal.js'
import { holdsBinary } from '../emit/schemas.js'
import type { Api, NamedSchema, Operation, Parameter } from '../ir/api.js'
import { type Json, stringFormats } from '../ir/schema.js'
import { camelCase } from '../ir/names.js'
import { toArbitraryNode } from '../emit/arbitrary-node.js'
import { contentKind } from '../emit/content.js'

/**
 * Fast-check arbitraries of valid values and near misses, for schemas, request parts and responses.
 */
export const arbitraries: Emitter = {
  name: 'arbitraries',
  needs: ['types'],
  into: 'packages/arbitraries/src/generated',
  optional: true,
  suits: ['fast-check'],
  runtime: [
    'arbitraries',
    'candidates',
    'formats',
    'accepts',
    'merge',
    'node',
    'pattern-tree',
    'patterns',
    'scalars',
  ].map((name) => `arbitraries/${name}.ts`),
  runtimeByNeed: true,
  emit: (api) => {
    const operations = printOperations(api)
    const responses = printResponses(api)
    // those that mocks make of them
    const headers = api.operations.flatMap((operation) =>
      operation.responses.flatMap((response) =>
        response.headers
          .filter(({ required }) => required)
          .map(({ schema }) => printData(toArbitraryNode(schema))),
      ),
    )
    return [
      sourceFile('document.ts', printDocument(api, [...operations, ...responses, ...headers])),
      sourceFile('index.ts', [
        code`export type { Arbitraries } from './arbitraries.js'`,
        ...api.schemas.map((schema) => printSchema(api, schema)),
      ]),
      sourceFile('operations.ts', operations),
      sourceFile('responses.ts', responses),
    ]
  },
}

/** Prints all schemas as data, because each may refer to any other. */
function printDocument({ schemas }: Api, operations: readonly Code[]): readonly Code[] {
  const type = symbol('Node', './node.js', { typeOnly: true })
  const entries = schemas.map(
    ({ name, schema }) => code`  ${property(name, toArbitraryNode(schema))},`,
  )
  return [
    code`const nodes: Readonly<Record<string, ${type}>> = {\n${join(entries, '\n')}\n}`,
    printFormats([...entries, ...operations]),
    code`/** Arbitraries of a node that may name any schema of the document. */
export const arbitraries: <T>(node: ${type}) => ${symbol('Arbitraries', './arbitraries.js', { typeOnly: true })}<T> = /* @__PURE__ */ ${symbol('createArbitraries', './arbitraries.js')}({
  node: (name) => nodes[name] ?? { kind: 'never' },
  format: (name) => known.get(name),
})`,
  ]
}

function printSchema(api: Api, { name, schema, origin }: NamedSchema): Code {
  const types = namespace('$types', '#types', { typeOnly: true })
  // a dollar distinguishes these names from those of schemas
  const type = holdsBinary(api, schema) ? code`unknown` : code`${types}.${name}`
  const comment = docComment([schema.notes.description, describeOrigin(api, origin)])
  const make = symbol('arbitraries', './document.js', { as: '$arbitraries' })
  const arbitrariesType = symbol('Arbitraries', './arbitraries.js', {
    typeOnly: true,
    as: '$Arbitraries',
  })
  return code`${comment}export const ${name}: ${arbitrariesType}<${type}> = /* @__PURE__ */ ${make}<${type}>({ kind: 'ref', name: ${literal(name)} })`
}

/** Prints a table of the formats that the printed nodes use. */
function printFormats(nodes: readonly Code[]): Code {
  const text = nodes.map((node) => node.text).join('\n')
  const formats = namespace('formats', './formats.js')
  const used = [...stringFormats.keys()].filter((name) =>
    text.includes(`format: ${literal(name).text}`),
  )
  const entries = used.map((name) => code`  [${literal(name)}, ${formats}.${camelCase(name)}],`)
  const type = symbol('Format', './formats.js', { typeOnly: true })
  return code`const known: ReadonlyMap<string | undefined, ${type}> = new Map([${entries.length === 0 ? '' : '\n'}${join(entries, '\n')}${entries.length === 0 ? '' : '\n'}])`
}

/**
 * Prints the parts of each operation's request. Keys are those of the zod output: wire names, header
 * names in lower case.
 */
function printOperations(api: Api): readonly Code[] {
  return api.operations.length === 0
    ? [code`export {}`]
    : api.operations.map((operation) => printOperation(api, operation))
}

/**
 * Prints the bodies of each operation's responses by status and media type, as in the zod output. A
 * stream has an arbitrary of a single item, and bytes have none.
 */
function printResponses(api: Api): readonly Code[] {
  if (api.operations.length === 0) return [code`export {}`]
  return api.operations.map(({ id, summary, origin, responses }) => {
    const statuses = responses.flatMap(({ status, contents }) => {
      const bodies = contents
        .filter((content) => contentKind(content, api) !== 'binary')
        .map(
          ({ mediaType, schema }) =>
            code`${propertyKey(mediaType)}: ${printValue(toArbitraryNode(schema))}`,
        )
      return bodies.length === 0
        ? []
        : [code`  ${propertyKey(String(status))}: { ${join(bodies, ', ')} },`]
    })
    const fields = statuses.length === 0 ? code`{}` : code`{\n${join(statuses, '\n')}\n}`
    return code`${docComment([summary, describeOrigin(api, origin)])}export const ${id} = ${fields}`
  })
}

function printOperation(api: Api, { id, summary, origin, parameters, body }: Operation): Code {
  const at = (place: Parameter['in']): readonly Parameter[] =>
    parameters.filter((parameter) => parameter.in === place && !parameter.credential)
  const bodies = body?.contents ?? []
  const parts = [
    ...printPart('path', at('path'), (name) => name),
    ...printPart('query', at('query'), (name) => name),
    ...at('querystring').map(
      ({ schema, mediaType = '' }) =>
        code`querystring: { ${propertyKey(mediaType)}: ${printValue(toArbitraryNode(schema))} }`,
    ),
    ...printPart('headers', at('header'), (name) => name.toLowerCase()),
    ...printPart('cookies', at('cookie'), (name) => name),
    ...(bodies.length === 0
      ? []
      : [
          code`body: {\n  ${join(
            bodies.map(
              ({ mediaType, schema }) =>
                code`${propertyKey(mediaType)}: ${printValue(toArbitraryNode(schema))}`,
            ),
            ',\n  ',
          )},\n}`,
        ]),
  ]
  const fields = parts.length === 0 ? code`{}` : code`{\n  ${join(parts, ',\n')},\n}`
  return code`${docComment([summary, describeOrigin(api, origin)])}export const ${id} = ${fields}`
}

function printPart(
  name: string,
  parameters: readonly Parameter[],
  key: (name: string) => string,
): readonly Code[] {
  if (parameters.length === 0) return []
  const properties = parameters.map((parameter): Json => ({
    name: key(parameter.name),
    ...(parameter.required ? { required: true } : {}),
    schema: toArbitraryNode(parameter.schema),
  }))
  return [
    code`${name}: ${printValue({ kind: 'object', properties, additional: { kind: 'any' }, quiet: true })}`,
  ]
}

/** States the type, because `isolatedDeclarations` requires it. */
function printValue(value: Json): Code {
  const type = symbol('Arbitraries', './arbitraries.js', { typeOnly: true, as: '$Arbitraries' })
  return code`${symbol('arbitraries', './document.js', { as: '$arbitraries' })}(${literal(value)}) as ${type}<unknown>`
}
