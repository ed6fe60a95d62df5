import { code, join, symbol, type Code } from '../../emit/code.js'
import { contentKind } from '../../emit/content.js'
import { docComment, literal, originLine, propertyKey } from '../../emit/literal.js'
import type { Api, Operation, Parameter } from '../../ir/api.js'
import type { Json } from '../../ir/schema.js'
import { node } from './node.js'

/**
 * For each operation the parts of a request, keyed as the validators of the zod output are: by wire
 * name, header names in lower case.
 */
export function operationArbitraries(api: Api): readonly Code[] {
  return api.operations.length === 0
    ? [code`export {}`]
    : api.operations.map((operation) => arbitraries(api, operation))
}

/**
 * For each operation, the bodies of its responses by status and media type, as in the validators.
 * For a body of items, a single item. Bytes have none.
 */
export function responseArbitraries(api: Api): readonly Code[] {
  if (api.operations.length === 0) return [code`export {}`]
  return api.operations.map(({ id, summary, origin, responses }) => {
    const statuses = responses.flatMap(({ status, contents }) => {
      const bodies = contents
        .filter((content) => contentKind(content, api) !== 'binary')
        .map(({ mediaType, schema }) => code`${propertyKey(mediaType)}: ${emitValue(node(schema))}`)
      return bodies.length === 0
        ? []
        : [code`  ${propertyKey(String(status))}: { ${join(bodies, ', ')} },`]
    })
    const fields = statuses.length === 0 ? code`{}` : code`{\n${join(statuses, '\n')}\n}`
    return code`${docComment([summary, originLine(api, origin)])}export const ${id} = ${fields}`
  })
}

function arbitraries(api: Api, { id, summary, origin, parameters, body }: Operation): Code {
  const at = (place: Parameter['in']): readonly Parameter[] =>
    parameters.filter((parameter) => parameter.in === place && !parameter.credential)
  const bodies = body?.contents ?? []
  const parts = [
    ...partCode('path', at('path'), (name) => name),
    ...partCode('query', at('query'), (name) => name),
    ...at('querystring').map(
      ({ schema, mediaType = '' }) =>
        code`querystring: { ${propertyKey(mediaType)}: ${emitValue(node(schema))} }`,
    ),
    ...partCode('headers', at('header'), (name) => name.toLowerCase()),
    ...partCode('cookies', at('cookie'), (name) => name),
    ...(bodies.length === 0
      ? []
      : [
          code`body: {\n  ${join(
            bodies.map(
              ({ mediaType, schema }) =>
                code`${propertyKey(mediaType)}: ${emitValue(node(schema))}`,
            ),
            ',\n  ',
          )},\n}`,
        ]),
  ]
  const fields = parts.length === 0 ? code`{}` : code`{\n  ${join(parts, ',\n')},\n}`
  return code`${docComment([summary, originLine(api, origin)])}export const ${id} = ${fields}`
}

function partCode(
  name: string,
  parameters: readonly Parameter[],
  key: (name: string) => string,
): readonly Code[] {
  if (parameters.length === 0) return []
  const properties = parameters.map((parameter): Json => ({
    name: key(parameter.name),
    ...(parameter.required ? { required: true } : {}),
    schema: node(parameter.schema),
  }))
  return [
    code`${name}: ${emitValue({ kind: 'object', properties, additional: { kind: 'any' }, quiet: true })}`,
  ]
}

/** The type is stated for a program that is compiled with `isolatedDeclarations`. */
function emitValue(value: Json): Code {
  const type = symbol('Arbitraries', './arbitraries.js', { typeOnly: true, as: '$Arbitraries' })
  return code`${symbol('arbitraries', './document.js', { as: '$arbitraries' })}(${literal(value)}) as ${type}<unknown>`
}
