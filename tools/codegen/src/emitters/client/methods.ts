import { block, code, join, namespace, symbol, type Code } from '../../emit/code.js'
import { hasInput } from '../../emit/content.js'
import {
  describePayment,
  docComment,
  literal,
  describeOrigin,
  propertyKey,
} from '../../emit/literal.js'
import { createFormTypes } from '../../emit/type-text.js'
import { holdsDate, holdsTemporal } from '../../emit/values/converted.js'
import { type Api, type Operation, type Response, sentMethod } from '../../ir/api.js'
import { findOwnServer } from '../../ir/server-url.js'
import { pascalCase, uniqueNames } from '../../ir/names.js'
import type { Extras } from './index-file.js'
import {
  choosesStream,
  fileInput,
  printInputType,
  importOptionsType,
  printResultType,
} from './operation-types.js'
import { hasHeaders, printHeadersType } from './response-headers.js'

/** Operations whose functions are in the same file, and what the name of that file begins with. */
export type OperationGroup = { readonly prefix: string; readonly operations: readonly Operation[] }

/** For each operation its input, its result and its method. */
export function* printMethods(
  api: Api,
  { ownServers, headers }: Extras,
  groups: readonly OperationGroup[],
): Iterable<Code> {
  const aliases = createHeaderAliases(api)
  const context = ownServers
    ? symbol('ServedContext', './server-url.js', { typeOnly: true })
    : symbol('Context', './perform.js', { typeOnly: true })
  const forms = createFormTypes(api, fileInput)
  for (const operation of api.operations) {
    yield code`${docComment([`The input of \`${operation.id}\`: path, query, header and body fields in one object.`])}export type ${toTypeName(operation)}Input = ${printInputType(api, operation, forms)}`
    yield code`${docComment([`The response of \`${operation.id}\`, discriminated by \`status\`.`])}export type ${toTypeName(operation)}Result${choosesStream(api, operation) ? '<Stream extends boolean = boolean>' : ''} =\n${headers ? printResultType(api, operation, (response) => aliases.of(operation, response)) : printResultType(api, operation)}`
  }
  yield* aliases.declarations()
  yield* forms.declarations()
  yield code`export type Operations = {\n${join(
    api.operations.map((operation) => printSignature(api, operation)),
    '\n',
  )}\n}`
  yield code`/** The methods over one send. Each is a function of its own: it may be taken out of the object. */
export function createOperations(context: ${context}): Operations {
  return ${symbol('bindContext', './bound.js')}(${printFunctionMap(groups)}, context)
}`
}

/** The types of the headers of responses. Those that are equal have one name. */
function createHeaderAliases(api: Api) {
  let unique: ((name: string) => string) | undefined
  const known = new Map<string, { readonly name: string; readonly type: Code }>()
  return {
    of: (operation: Operation, { status, headers }: Response): Code | undefined => {
      if (headers.length === 0) return undefined
      unique ??= uniqueNames(
        api.operations.flatMap((one) => [`${toTypeName(one)}Input`, `${toTypeName(one)}Result`]),
      )
      const type = printHeadersType(api, headers)
      const alias = known.get(type.text) ?? {
        name: unique(`${toTypeName(operation)}${pascalCase(String(status))}Headers`),
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
function printFunctionMap(groups: readonly OperationGroup[]): Code {
  const entries = groups.flatMap(({ prefix, operations }) => {
    const functions = namespace(
      prefix === '' ? 'functions' : 'formFunctions',
      `./${prefix}functions.js`,
    )
    return operations.map(({ id }) => code`${propertyKey(id)}: ${functions}.${id}`)
  })
  return block(entries, '{}')
}

function printSignature(api: Api, operation: Operation): Code {
  const { id, method, path, description, deprecated, origin } = operation
  const { summary } = operation
  const { payment } = operation
  const comment = docComment(
    [
      `\`${sentMethod(method)} ${path}\``,
      ...[summary, description].flatMap((text) => (text === undefined ? [] : [`\n${text}`])),
      payment && `\n${describePayment(payment)}`,
      deprecated ? '@deprecated' : undefined,
      describeOrigin(api, origin),
    ],
    '  ',
  )
  const options = importOptionsType(payment)
  const [input, result] = [`${toTypeName(operation)}Input`, `${toTypeName(operation)}Result`]
  const mark = hasInput(api, operation) === 'required' ? '' : '?'
  if (!choosesStream(api, operation))
    return code`${comment}  readonly ${id}: (input${mark}: ${input}, options?: ${options}) => Promise<${result}>`
  return code`${comment}  readonly ${id}: {
    (input: ${input} & { readonly stream: true }, options?: ${options}): Promise<${result}<true>>
    (input${mark}: ${input} & { readonly stream?: false | null }, options?: ${options}): Promise<${result}<false>>
    (input${mark}: ${input}, options?: ${options}): Promise<${result}>
  }`
}

function toTypeName({ id }: Operation): string {
  return pascalCase(id)
}

/**
 * Each operation as a function that takes the context, so that a bundler keeps only those in use.
 * `prefix` begins the names of their file and of the file of their facts.
 */
export function* printFunctions(
  api: Api,
  local: (name: string) => string,
  extras: Extras,
  prefix: string,
): Iterable<Code> {
  const facts = namespace(local('facts'), `./${prefix}facts.js`)
  const perform = symbol('perform', './perform.js', { as: local('perform') })
  const importContext = (server: string | undefined): Code =>
    server === undefined
      ? symbol('Context', './perform.js', { typeOnly: true })
      : symbol('ServedContext', './server-url.js', { typeOnly: true })
  const withHeaders = symbol('withHeaders', './response-headers.js', { as: local('withHeaders') })
  const headers = namespace(local('headers'), './headers.js')
  const atServer = symbol('withServer', './server-url.js', { as: local('withServer') })
  const importSendable = (module: string): Code =>
    symbol('prepareInput', module, { as: local('prepareInput') })
  const shapes = namespace(local('operations'), './operations.js', { typeOnly: true })
  for (const operation of api.operations) {
    const { id, method, path, description, deprecated, origin } = operation
    const { summary = description } = operation
    const { payment } = operation
    const options = importOptionsType(payment)
    const [input, result] = ['Input', 'Result'].map(
      (kind) => code`${shapes}.${pascalCase(id)}${kind}`,
    )
    const comment = docComment([
      `\`${sentMethod(method)} ${path}\``,
      summary === undefined ? undefined : `\n${summary}`,
      payment && `\n${describePayment(payment)}`,
      deprecated ? '@deprecated' : undefined,
      describeOrigin(api, origin),
    ])
    const server = extras.ownServers ? findOwnServer(operation) : undefined
    const at = server === undefined ? 'context' : code`${atServer}(context, ${literal(server)})`
    const module = findDateWriter(api, operation)
    const argument =
      module === undefined ? 'input' : code`${importSendable(module)}(${literal(id)}, input)`
    const call = code`${perform}(${at}, ${facts}.${id}, ${argument}, options)`
    const takes = code`context: ${importContext(server)}, input`
    const overloads = choosesStream(api, operation)
      ? code`export function ${id}(${takes}: ${input} & { readonly stream: true }, options?: ${options}): Promise<${result}<true>>
export function ${id}(${takes}${printOptionalMark(api, operation)}: ${input} & { readonly stream?: false | null }, options?: ${options}): Promise<${result}<false>>
export function ${id}(${takes}${printOptionalMark(api, operation)}: ${input}, options?: ${options}): Promise<${result}>
`
      : ''
    yield code`${comment}${overloads}export function ${id}(${takes}${printOptionalMark(api, operation)}: ${input}, options?: ${options}): Promise<${result}> {
  return ${extras.headers && hasHeaders(operation) ? code`${withHeaders}(${call}, ${headers}.${id})` : call}
}`
  }
}

/** The function that checks or writes the dates of an input. Undefined without any. */
function findDateWriter(api: Api, { parameters, body }: Operation): string | undefined {
  const argument = [...parameters, ...(body?.contents ?? [])]
  if (argument.some(({ schema }) => holdsTemporal(api, schema))) return './temporal-values.js'
  return argument.some(({ schema }) => holdsDate(api, schema)) ? './date-values.js' : undefined
}

function printOptionalMark(api: Api, operation: Operation): string {
  return hasInput(api, operation) === 'required' ? '' : '?'
}
