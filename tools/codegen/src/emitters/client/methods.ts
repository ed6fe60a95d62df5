import { code, join, namespace, symbol, type Code } from '../../emit/code.js'
import { formTypes } from '../../emit/form-types.js'
import { hasInput } from '../../emit/has-input.js'
import { docComment, propertyKey } from '../../emit/literal.js'
import { originLine } from '../../emit/origin-line.js'
import { describePayment } from '../../emit/describe-payment.js'
import { sentMethod } from '../../ir/api.js'
import type { Api, Operation, Response } from '../../ir/api.js'
import { pascalCase, uniqueNames } from '../../ir/names.js'
import type { Extras } from './index-file.js'
import { fileInput, inputType, optionsType } from './input-type.js'
import { headersType } from './response-headers.js'
import { resultType } from './result-type.js'
import { choosesStream } from './stream-choice.js'

/** Operations whose functions are in the same file, and what the name of that file begins with. */
export type OperationGroup = { readonly prefix: string; readonly operations: readonly Operation[] }

/** For each operation its input, its result and its method. */
export function methods(
  api: Api,
  { ownServers, headers }: Extras,
  groups: readonly OperationGroup[],
): readonly Code[] {
  const aliases = headerAliases(api)
  const context = ownServers
    ? symbol('ServedContext', './server-url.js', { typeOnly: true })
    : symbol('Context', './perform.js', { typeOnly: true })
  const forms = formTypes(api, fileInput)
  const types = api.operations.flatMap((operation) => [
    code`${docComment([`What \`${operation.id}\` takes: path, query, header and body fields together.`])}export type ${typeName(operation)}Input = ${inputType(api, operation, forms)}`,
    code`${docComment([`What \`${operation.id}\` answers, told apart by \`status\`.`])}export type ${typeName(operation)}Result${choosesStream(api, operation) ? '<Stream extends boolean = boolean>' : ''} =\n${headers ? resultType(api, operation, (response) => aliases.of(operation, response)) : resultType(api, operation)}`,
  ])
  return [
    ...types,
    ...aliases.declarations(),
    ...forms.declarations(),
    code`export type Operations = {\n${join(
      api.operations.map((operation) => signature(api, operation)),
      '\n',
    )}\n}`,
    code`/** The methods over one send. Each is a function of its own: it may be taken out of the object. */
export function createOperations(context: ${context}): Operations {
  return ${symbol('bound', './bound.js')}(${allOperations(groups)}, context)
}`,
  ]
}

/** The types of the headers of responses. Those that are equal have one name. */
function headerAliases(api: Api) {
  const unique = uniqueNames(
    api.operations.flatMap((operation) => [
      `${typeName(operation)}Input`,
      `${typeName(operation)}Result`,
    ]),
  )
  const known = new Map<string, { readonly name: string; readonly type: Code }>()
  return {
    of: (operation: Operation, { status, headers }: Response): Code | undefined => {
      if (headers.length === 0) return undefined
      const type = headersType(api, headers)
      const alias = known.get(type.text) ?? {
        name: unique(`${typeName(operation)}${pascalCase(String(status))}Headers`),
        type,
      }
      known.set(type.text, alias)
      return code`${alias.name}`
    },
    declarations: () =>
      Array.from(known.values(), ({ name, type }) => code`type ${name} = ${type}`),
  }
}

/**
 * The functions of all operations, listed one by one: if a namespace is used as a value, a bundler
 * keeps everything in it.
 */
function allOperations(groups: readonly OperationGroup[]): Code {
  const entries = groups.flatMap(({ prefix, operations }) => {
    const functions = namespace(
      prefix === '' ? 'functions' : 'formFunctions',
      `./${prefix}functions.js`,
    )
    return operations.map(({ id }) => code`  ${propertyKey(id)}: ${functions}.${id},`)
  })
  return entries.length === 0 ? code`{}` : code`{\n${join(entries, '\n')}\n}`
}

function signature(api: Api, operation: Operation): Code {
  const { id, method, path, description, deprecated, origin } = operation
  const { summary } = operation
  const { payment } = operation
  const comment = docComment(
    [
      `\`${sentMethod(method)} ${path}\``,
      ...[summary, description].flatMap((text) => (text === undefined ? [] : [`\n${text}`])),
      payment && `\n${describePayment(payment)}`,
      deprecated ? '@deprecated' : undefined,
      originLine(api, origin),
    ],
    '  ',
  )
  const options = optionsType(payment)
  const [input, result] = [`${typeName(operation)}Input`, `${typeName(operation)}Result`]
  const mark = hasInput(api, operation) === 'required' ? '' : '?'
  if (!choosesStream(api, operation))
    return code`${comment}  readonly ${id}: (input${mark}: ${input}, options?: ${options}) => Promise<${result}>`
  return code`${comment}  readonly ${id}: {
    (input: ${input} & { readonly stream: true }, options?: ${options}): Promise<${result}<true>>
    (input${mark}: ${input} & { readonly stream?: false | null }, options?: ${options}): Promise<${result}<false>>
    (input${mark}: ${input}, options?: ${options}): Promise<${result}>
  }`
}

function typeName({ id }: Operation): string {
  return pascalCase(id)
}
