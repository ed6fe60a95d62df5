import { code, join, namespace, type Code } from '../../emit/code.js'
import { contentKind } from '../../emit/content.js'
import { docComment, originLine, propertyKey } from '../../emit/literal.js'
import { oncePer } from '../../emit/once-per.js'
import { createLookup } from '../../emit/resolve.js'
import { createDeclare, createSharing, type Declare } from '../../emit/constants.js'
import type { Api, Content, Operation, Parameter } from '../../ir/api.js'
import type { Schema } from '../../ir/schema.js'
import { expression, type ExpressionContext } from './expression.js'
import { words, z } from './modules.js'

const schemas = namespace('schemas', './schemas.js')

/** The validators of each operation's parts. Keys are as sent, header names in lower case. */
export function operationValidators(
  api: Api,
  formats: Pick<ExpressionContext, 'annotate' | 'methods'> = {},
  declared = false,
): readonly Code[] {
  const { mark, statements } = createSharing()
  const context: ExpressionContext = {
    ...formats,
    mark,
    named: (name) => code`${schemas}.${name}`,
    lookup: createLookup(api),
    isInferred: createInference(api, declared),
  }
  const write: Writer = { expression: oncePer((schema) => expression(schema, context)), mark }
  const declare = createDeclare([...api.operations.map(({ id }) => id), 'validators'])
  const validatorType = (operation: Operation): Code | undefined =>
    declared ? validatorsType(api, operation) : undefined
  const every = code`{\n${join(
    api.operations.map(({ id }) => code`  ${id},`),
    '\n',
  )}\n}`
  return [
    ...statements(
      api.operations.map((operation) => ({
        name: operation.id,
        value: validators(api, operation, write),
        declare: (value) => declaration(api, operation, declare, value, validatorType(operation)),
      })),
      { declare, words, taken: ['validators'] },
    ),
    code`/** The validators of every operation, by its id. Importing one by its name costs less. */\nexport ${declare('validators', every, declared ? everyType(api) : undefined)}`,
  ]
}

/** Whether the type of a schema is inferred: that of a recursive one is stated. */
export function createInference(
  { schemas: all }: Api,
  declared: boolean,
): (name: string) => boolean {
  const names = new Set(all.filter(({ cyclic }) => !cyclic).map(({ name }) => name))
  return (name) => !declared && names.has(name)
}

function everyType({ operations }: Api): Code {
  const fields = operations.map(({ id }) => code`  readonly ${id}: typeof ${id}`)
  return code`{\n${join(fields, '\n')}\n}`
}

/** The same fields as the validators have. */
function validatorsType(api: Api, { parameters, body, responses }: Operation): Code {
  const one = code`${z}.ZodType`
  const contentsType = (contents: readonly Content[]): Code =>
    code`{ ${join(
      contents.map(({ mediaType }) => code`readonly ${propertyKey(mediaType)}: ${one}`),
      '; ',
    )} }`
  const own = parameters.filter(({ credential }) => !credential)
  const has = (place: Parameter['in']): boolean => own.some((parameter) => parameter.in === place)
  const places = (
    [
      ['path', 'path'],
      ['query', 'query'],
      ['header', 'headers'],
      ['cookie', 'cookies'],
    ] as const
  ).filter(([place]) => has(place))
  const whole = own.filter(({ in: place }) => place === 'querystring')
  const answers = readableAnswers(api, responses).map(
    ({ status, contents }) =>
      code`readonly ${propertyKey(String(status))}: ${contentsType(contents)}`,
  )
  const fields = [
    ...places.map(([, name]) => code`  readonly ${name}: ${one}`),
    ...whole.map(
      ({ mediaType = '' }) =>
        code`  readonly querystring: { readonly ${propertyKey(mediaType)}: ${one} }`,
    ),
    ...(body === undefined || body.contents.length === 0
      ? []
      : [code`  readonly body: ${contentsType(body.contents)}`]),
    code`  readonly responses: ${answers.length === 0 ? '{}' : code`{ ${join(answers, '; ')} }`}`,
  ]
  return code`{\n${join(fields, '\n')}\n}`
}

/** The responses whose bodies are not bytes. */
function readableAnswers(api: Api, responses: Operation['responses']): Operation['responses'] {
  return responses.flatMap((response) => {
    const contents = response.contents.filter((content) => contentKind(content, api) !== 'binary')
    return contents.length === 0 ? [] : [{ ...response, contents }]
  })
}

type Writer = {
  readonly expression: (schema: Schema) => Code
  readonly mark: (expression: Code) => Code
}

function validators(api: Api, { parameters, body, responses }: Operation, write: Writer): Code {
  const at = (place: Parameter['in']): readonly Parameter[] =>
    parameters.filter((parameter) => parameter.in === place && !parameter.credential)
  const bodies = body?.contents ?? []
  const answers = readableAnswers(api, responses).map(
    ({ status, contents }) =>
      code`${propertyKey(String(status))}: ${write.mark(contentsExpression(contents, write))}`,
  )
  const parts = [
    ...partCode('path', at('path'), (name) => name, write),
    ...partCode('query', at('query'), (name) => name, write),
    ...at('querystring').map(
      ({ schema, mediaType = '' }) =>
        code`querystring: { ${propertyKey(mediaType)}: ${write.expression(schema)} }`,
    ),
    ...partCode('headers', at('header'), (name) => name.toLowerCase(), write),
    ...partCode('cookies', at('cookie'), (name) => name, write),
    ...(bodies.length > 0 ? [code`body: ${contentsExpression(bodies, write)}`] : []),
    code`responses: ${write.mark(answers.length === 0 ? code`{}` : code`{\n  ${join(answers, ',\n')},\n}`)}`,
  ]
  return code`{\n  ${join(parts, ',\n')},\n}`
}

function declaration(
  api: Api,
  { id, summary, origin }: Operation,
  declare: Declare,
  value: Code,
  type: Code | undefined,
): Code {
  return code`${docComment([summary, originLine(api, origin)])}export ${declare(id, value, type)}`
}

/** Unknown names are accepted: a proxy may add a header, a link a parameter. */
function partCode(
  name: string,
  parameters: readonly Parameter[],
  key: (name: string) => string,
  write: Writer,
): readonly Code[] {
  if (parameters.length === 0) return []
  const fields = parameters.map((parameter) => {
    const value = write.expression(parameter.schema)
    return code`${propertyKey(key(parameter.name))}: ${parameter.required ? value : write.mark(code`${z}.exactOptional(${value})`)}`
  })
  return [code`${name}: ${write.mark(code`${z}.looseObject({ ${join(fields, ', ')} })`)}`]
}

function contentsExpression(contents: readonly Content[], write: Writer): Code {
  const entries = contents.map(
    (content) => code`${propertyKey(content.mediaType)}: ${write.expression(content.schema)}`,
  )
  return code`{ ${join(entries, ', ')} }`
}
