import { code, join, namespace, symbol, type Code } from '../../emit/code.js'
import { docComment, propertyKey } from '../../emit/literal.js'
import { originLine } from '../../emit/origin-line.js'
import type { Api, Operation } from '../../ir/api.js'
import { pascalCase } from '../../ir/names.js'
import { formTypes, hasInput, inputType } from './input-type.js'
import { resultType } from './result-type.js'

/** For each operation its input, its result and its method. */
export function methods(api: Api): readonly Code[] {
  const forms = formTypes(api)
  const types = api.operations.flatMap((operation) => [
    code`${docComment([`What \`${operation.id}\` takes: path, query, header and body fields together.`])}export type ${typeName(operation)}Input = ${inputType(api, operation, forms)}`,
    code`${docComment([`What \`${operation.id}\` answers, told apart by \`status\`.`])}export type ${typeName(operation)}Result =\n${resultType(api, operation)}`,
  ])
  return [
    ...types,
    ...forms.declarations(),
    code`export type Operations = {\n${join(
      api.operations.map((operation) => signature(api, operation)),
      '\n',
    )}\n}`,
    code`/** The methods over one send. Each is a function of its own: it may be taken out of the object. */
export function createOperations(context: ${symbol('Context', './perform.js', { typeOnly: true })}): Operations {
  return ${symbol('bound', './bound.js')}(${every(api)}, context)
}`,
  ]
}

/**
 * The functions of all operations, named one by one. A bundler makes an object of a namespace that
 * is used as a value, and keeps all that is in it for those who use one operation.
 */
function every({ operations }: Api): Code {
  const functions = namespace('functions', './functions.js')
  const entries = operations.map(({ id }) => code`  ${propertyKey(id)}: ${functions}.${id},`)
  return entries.length === 0 ? code`{}` : code`{\n${join(entries, '\n')}\n}`
}

function signature(api: Api, operation: Operation): Code {
  const { id, method, path, description, deprecated, origin } = operation
  const { summary = description === undefined ? `Sends \`${method.toUpperCase()} ${path}\`.` : undefined } = operation
  const comment = docComment(
    [
      summary,
      summary !== undefined && description !== undefined ? `\n${description}` : description,
      deprecated ? '@deprecated' : undefined,
      originLine(api, origin),
    ],
    '  ',
  )
  const options = symbol('CallOptions', './call.js', { typeOnly: true })
  return code`${comment}  readonly ${id}: (input${hasInput(api, operation) === 'required' ? '' : '?'}: ${typeName(operation)}Input, options?: ${options}) => Promise<${typeName(operation)}Result>`
}

function typeName({ id }: Operation): string {
  return pascalCase(id)
}
