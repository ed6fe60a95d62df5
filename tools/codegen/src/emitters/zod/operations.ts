import { code, join, namespace, type Code } from '../../emit/code.js'
import { contentKind } from '../../emit/content-kind.js'
import { docComment, propertyKey } from '../../emit/literal.js'
import { oncePer } from '../../emit/once-per.js'
import { lookupIn } from '../../emit/resolve.js'
import { sharing } from '../../emit/sharing.js'
import type { Api, Content, Operation, Parameter } from '../../ir/api.js'
import type { Schema } from '../../ir/schema.js'
import { expression, type ExpressionContext } from './expression.js'
import { made, type Declare } from '../../emit/made.js'
import { originLine } from '../../emit/origin-line.js'
import { words, z } from './modules.js'

const schemas = namespace('schemas', './schemas.js')

/** The validators of each operation's parts. Keys are as sent, header names in lower case. */
export function operationValidators(api: Api, formats: { readonly annotate?: true } = {}): readonly Code[] {
  const { mark, statements } = sharing()
  const context: ExpressionContext = { ...formats, mark, named: (name) => code`${schemas}.${name}`, lookup: lookupIn(api) }
  const write: Writer = { expression: oncePer((schema) => expression(schema, context)), mark }
  const declare = made([...api.operations.map(({ id }) => id), 'validators'])
  const every = code`{\n${join(
    api.operations.map(({ id }) => code`  ${id},`),
    '\n',
  )}\n}`
  return [
    ...statements(
      api.operations.map((operation) => ({
        name: operation.id,
        value: validators(api, operation, write),
        declare: (value) => declaration(api, operation, declare, value),
      })),
      { declare, words, taken: ['validators'] },
    ),
    code`/** The validators of every operation, by its id. Importing one by its name costs less. */\nexport ${declare('validators', every)}`,
  ]
}

type Writer = { readonly expression: (schema: Schema) => Code; readonly mark: (expression: Code) => Code }

function validators(api: Api, { parameters, body, responses }: Operation, write: Writer): Code {
  const at = (place: Parameter['in']): readonly Parameter[] =>
    parameters.filter((parameter) => parameter.in === place && !parameter.credential)
  const bodies = body?.contents ?? []
  const answers = responses.flatMap(({ status, contents }) => {
    const readable = contents.filter((content) => contentKind(content, api) !== 'binary')
    return readable.length === 0 ? [] : [code`${propertyKey(String(status))}: ${write.mark(contentsExpression(readable, write))}`]
  })
  const parts = [
    ...part('path', at('path'), (name) => name, write),
    ...part('query', at('query'), (name) => name, write),
    ...part('headers', at('header'), (name) => name.toLowerCase(), write),
    ...part('cookies', at('cookie'), (name) => name, write),
    ...(bodies.length > 0 ? [code`body: ${contentsExpression(bodies, write)}`] : []),
    code`responses: ${write.mark(answers.length === 0 ? code`{}` : code`{\n  ${join(answers, ',\n')},\n}`)}`,
  ]
  return code`{\n  ${join(parts, ',\n')},\n}`
}

function declaration(api: Api, { id, summary, origin }: Operation, declare: Declare, value: Code): Code {
  return code`${docComment([summary, originLine(api, origin)])}export ${declare(id, value)}`
}

/** Unknown names are accepted: a proxy may add a header, a link a parameter. */
function part(name: string, parameters: readonly Parameter[], key: (name: string) => string, write: Writer): readonly Code[] {
  if (parameters.length === 0) return []
  const fields = parameters.map((parameter) => {
    const value = write.expression(parameter.schema)
    return code`${propertyKey(key(parameter.name))}: ${parameter.required ? value : write.mark(code`${z}.exactOptional(${value})`)}`
  })
  return [code`${name}: ${write.mark(code`${z}.looseObject({ ${join(fields, ', ')} })`)}`]
}

function contentsExpression(contents: readonly Content[], write: Writer): Code {
  const entries = contents.map((content) => code`${propertyKey(content.mediaType)}: ${write.expression(content.schema)}`)
  return code`{ ${join(entries, ', ')} }`
}
