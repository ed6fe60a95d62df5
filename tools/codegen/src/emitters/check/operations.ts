import { code, join, namespace, type Code } from '../../emit/code.js'
import { listReadable } from '../../emit/content.js'
import { docComment, describeOrigin, propertyKey } from '../../emit/literal.js'
import { createLookup } from '../../emit/schemas.js'
import type { Api, Content, Operation, Parameter } from '../../ir/api.js'
import type { Schema } from '../../ir/schema.js'
import { compile } from './expression.js'
import { createHelpers, rules, type CheckContext } from './target.js'

const schemas = namespace('schemas', './schemas.js')

/** The checks of each operation's parts. Keys are wire names, header names in lower case. */
export function printOperationChecks(
  api: Api,
  annotate: boolean,
  title: (name: string) => string,
): readonly Code[] {
  const context: CheckContext = {
    annotate,
    helpers: createHelpers([...api.operations.map(({ id }) => toLocalName(id)), 'checks']),
    named: (name) => code`${schemas}.validate${title(name)}`,
    lookup: createLookup(api),
    compile,
  }
  const operations = api.operations.map((operation) => printOperation(api, operation, context))
  const ids = api.operations.map(({ id }) =>
    id === toLocalName(id) ? code`  ${id},` : code`  ${id}: ${toLocalName(id)},`,
  )
  const typed = api.operations.map(({ id }) => code`  readonly ${id}: typeof ${toLocalName(id)}`)
  return [
    ...operations,
    code`/** The checks of every operation, by its id. Importing one by its name costs less. */
export const checks: {
${join(typed, '\n')}
} = {
${join(ids, '\n')}
}`,
    ...context.helpers.declarations(),
  ]
}

function printOperation(api: Api, operation: Operation, context: CheckContext): Code {
  const { id, summary, origin, parameters, body, responses } = operation
  const check = (schema: Schema, hint: string): Code =>
    // isolatedDeclarations requires the type
    code`/* @__PURE__ */ ${rules}.createCheck(${context.compile.validate(schema, context, `${id} ${hint}`)}) as ${rules}.Check<unknown>`
  const printContents = (all: readonly Content[], hint: string): Code =>
    code`{ ${join(
      all.map(({ mediaType, schema }) => code`${propertyKey(mediaType)}: ${check(schema, hint)}`),
      ', ',
    )} }`
  const own = parameters.filter(({ credential }) => !credential)
  const places = (
    [
      ['path', 'path'],
      ['query', 'query'],
      ['header', 'headers'],
      ['cookie', 'cookies'],
    ] as const
  ).flatMap(([place, name]) => {
    const some = own.filter((parameter) => parameter.in === place)
    return some.length === 0 ? [] : [code`  ${name}: ${check(toObjectSchema(some), name)},`]
  })
  const whole = own
    .filter((parameter) => parameter.in === 'querystring')
    .map(
      ({ mediaType = '', schema }) =>
        code`  querystring: { ${propertyKey(mediaType)}: ${check(schema, 'querystring')} },`,
    )
  const bodies = body?.contents ?? []
  const responseChecks = listReadable(api, responses).map(
    (response) =>
      code`    ${propertyKey(String(response.status))}: ${printContents(response.contents, String(response.status))},`,
  )
  const parts = [
    ...places,
    ...whole,
    ...(bodies.length > 0 ? [code`  body: ${printContents(bodies, 'body')},`] : []),
    responseChecks.length === 0
      ? code`  responses: {},`
      : code`  responses: {\n${join(responseChecks, '\n')}\n  },`,
  ]
  const local = toLocalName(id)
  const declared =
    local === id ? code`export const ${id} =` : code`export { ${local} as ${id} }\nconst ${local} =`
  return code`${docComment([summary, describeOrigin(api, origin)])}${declared} {\n${join(parts, '\n')}\n}`
}

/** An operation may have the name of the runtime, which every check calls. */
function toLocalName(id: string): string {
  return id === 'rules' ? '_rules' : id
}

/** Accepts unknown names, because a proxy may add a header, and a link a parameter. */
function toObjectSchema(parameters: readonly Parameter[]): Schema {
  const notes = { origin: parameters[0]?.schema.notes.origin ?? { file: '', pointer: '' } }
  return {
    kind: 'object',
    notes,
    properties: parameters.map(({ name, in: place, schema, required }) => ({
      name: place === 'header' ? name.toLowerCase() : name,
      schema,
      required,
    })),
    alsoRequired: [],
    patterns: [],
    additional: { kind: 'any', notes },
    dependentRequired: [],
    dependentSchemas: [],
  }
}
