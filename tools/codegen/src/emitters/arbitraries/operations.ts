import { code, join, symbol, type Code } from '../../emit/code.js'
import { docComment, literal, propertyKey } from '../../emit/literal.js'
import { originLine } from '../../emit/origin-line.js'
import type { Api, Operation, Parameter } from '../../ir/api.js'
import type { Json } from '../../ir/schema.js'
import { node } from './node.js'

/**
 * For each operation the parts of a request, keyed as the validators of the zod output are: by wire
 * name, header names in lower case.
 */
export function operationArbitraries(api: Api): readonly Code[] {
  return api.operations.length === 0 ? [code`export {}`] : api.operations.map((operation) => arbitraries(api, operation))
}

function arbitraries(api: Api, { id, summary, origin, parameters, body }: Operation): Code {
  const at = (place: Parameter['in']): readonly Parameter[] =>
    parameters.filter((parameter) => parameter.in === place && !parameter.credential)
  const bodies = body?.contents ?? []
  const parts = [
    ...part('path', at('path'), (name) => name),
    ...part('query', at('query'), (name) => name),
    ...part('headers', at('header'), (name) => name.toLowerCase()),
    ...part('cookies', at('cookie'), (name) => name),
    ...(bodies.length === 0
      ? []
      : [
          code`body: {\n  ${join(
            bodies.map(({ mediaType, schema }) => code`${propertyKey(mediaType)}: ${made(node(schema))}`),
            ',\n  ',
          )},\n}`,
        ]),
  ]
  const fields = parts.length === 0 ? code`{}` : code`{\n  ${join(parts, ',\n')},\n}`
  return code`${docComment([summary, originLine(api, origin)])}export const ${id} = ${fields}`
}

function part(name: string, parameters: readonly Parameter[], key: (name: string) => string): readonly Code[] {
  if (parameters.length === 0) return []
  const properties = parameters.map((parameter): Json => ({
    name: key(parameter.name),
    ...(parameter.required ? { required: true } : {}),
    schema: node(parameter.schema),
  }))
  return [code`${name}: ${made({ kind: 'object', properties, additional: { kind: 'any' }, quiet: true })}`]
}

function made(value: Json): Code {
  return code`${symbol('arbitraries', './document.js', { as: '$arbitraries' })}<unknown>(${literal(value)})`
}
