import { code, join, namespace, type Code } from '../../emit/code.js'
import { contentKind } from '../../emit/content-kind.js'
import { docComment, propertyKey } from '../../emit/literal.js'
import { lookupIn } from '../../emit/resolve.js'
import { sharing } from '../../emit/sharing.js'
import type { Api, Content, Operation, Parameter } from '../../ir/api.js'
import { expression, type ExpressionContext } from './expression.js'
import { local, made, makerNames } from '../../emit/made.js'
import { originLine } from '../../emit/origin-line.js'
import { words, z } from './modules.js'

const schemas = namespace('schemas', './schemas.js')

/** For each operation the validators of its parts. Keys are as on the wire, header names in lower case. */
export function operationValidators(api: Api, formats: { readonly annotate?: true } = {}): readonly Code[] {
  const { mark, statements } = sharing()
  const context: ExpressionContext = { ...formats, mark, named: (name) => code`${schemas}.${name}`, lookup: lookupIn(api) }
  const makerOf = makerNames([...api.operations.map(({ id }) => id), 'validators'])
  return [
    ...statements(
      api.operations.map((operation) => ({
        name: operation.id,
        value: validators(api, operation, context),
        declare: (value) => declaration(api, operation, makerOf(operation.id), value),
      })),
      { declare: (name, value) => local(code`${name}`, makerOf(name), value), words, taken: ['validators'] },
    ),
    code`/** The validators of every operation, by its id. Importing one by its name costs less. */\nexport const validators = {\n${join(
      api.operations.map(({ id }) => code`  ${id},`),
      '\n',
    )}\n}`,
  ]
}

function validators(api: Api, { parameters, body, responses }: Operation, context: ExpressionContext): Code {
  const at = (place: Parameter['in']): readonly Parameter[] =>
    parameters.filter((parameter) => parameter.in === place && !parameter.credential)
  const bodies = body?.contents ?? []
  const answers = responses.flatMap(({ status, contents }) => {
    const readable = contents.filter((content) => contentKind(content, api) !== 'binary')
    return readable.length === 0 ? [] : [code`${propertyKey(String(status))}: ${contentsExpression(readable, context)}`]
  })
  const parts = [
    ...part('path', at('path'), (name) => name, context),
    ...part('query', at('query'), (name) => name, context),
    ...part('headers', at('header'), (name) => name.toLowerCase(), context),
    ...part('cookies', at('cookie'), (name) => name, context),
    ...(bodies.length > 0 ? [code`body: ${contentsExpression(bodies, context)}`] : []),
    code`responses: {${answers.length === 0 ? '' : code`\n  ${join(answers, ',\n')},\n`}}`,
  ]
  return code`{\n  ${join(parts, ',\n')},\n}`
}

function declaration(api: Api, { id, summary, origin }: Operation, maker: string, value: Code): Code {
  return code`${docComment([summary, originLine(api, origin)])}${made(code`${id}`, maker, value)}`
}

/** Names that the contract does not know are let through: a proxy may add a header, a link a parameter. */
function part(name: string, parameters: readonly Parameter[], key: (name: string) => string, context: ExpressionContext): readonly Code[] {
  if (parameters.length === 0) return []
  const fields = parameters.map((parameter) => {
    const value = expression(parameter.schema, context)
    return code`${propertyKey(key(parameter.name))}: ${parameter.required ? value : context.mark(code`${z}.exactOptional(${value})`)}`
  })
  return [code`${name}: ${context.mark(code`${z}.looseObject({ ${join(fields, ', ')} })`)}`]
}

function contentsExpression(contents: readonly Content[], context: ExpressionContext): Code {
  const entries = contents.map((content) => code`${propertyKey(content.mediaType)}: ${expression(content.schema, context)}`)
  return code`{ ${join(entries, ', ')} }`
}
