import { code, namespace, symbol, type Code } from '../../emit/code.js'
import { hasInput } from '../../emit/has-input.js'
import { docComment, literal } from '../../emit/literal.js'
import { originLine } from '../../emit/origin-line.js'
import { describePayment } from '../../emit/describe-payment.js'
import { holdsDate, holdsTemporal } from '../../emit/values/holds-converted.js'
import { sentMethod } from '../../ir/api.js'
import type { Api, Operation } from '../../ir/api.js'
import { pascalCase } from '../../ir/names.js'
import { ownServer } from '../../ir/server-url.js'
import type { Extras } from './index-file.js'
import { optionsType } from './input-type.js'
import { hasHeaders } from './response-headers.js'
import { choosesStream } from './stream-choice.js'

/**
 * Each operation as a function that takes the context, so that a bundler keeps only those in use.
 * `prefix` begins the names of their file and of the file of their facts.
 */
export function functions(
  api: Api,
  local: (name: string) => string,
  extras: Extras,
  prefix: string,
): readonly Code[] {
  const facts = namespace(local('facts'), `./${prefix}facts.js`)
  const perform = symbol('perform', './perform.js', { as: local('perform') })
  const clientContext = (server: string | undefined): Code =>
    server === undefined
      ? symbol('Context', './perform.js', { typeOnly: true })
      : symbol('ServedContext', './server-url.js', { typeOnly: true })
  const withHeaders = symbol('withHeaders', './response-headers.js', { as: local('withHeaders') })
  const headers = namespace(local('headers'), './headers.js')
  const atServer = symbol('atServer', './server-url.js', { as: local('atServer') })
  const sendable = (module: string): Code => symbol('sendable', module, { as: local('sendable') })
  const shapes = namespace(local('operations'), './operations.js', { typeOnly: true })
  return api.operations.map((operation) => {
    const { id, method, path, description, deprecated, origin } = operation
    const { summary = description } = operation
    const { payment } = operation
    const options = optionsType(payment)
    const [input, result] = ['Input', 'Result'].map(
      (kind) => code`${shapes}.${pascalCase(id)}${kind}`,
    )
    const comment = docComment([
      `\`${sentMethod(method)} ${path}\``,
      summary === undefined ? undefined : `\n${summary}`,
      payment && `\n${describePayment(payment)}`,
      deprecated ? '@deprecated' : undefined,
      originLine(api, origin),
    ])
    const server = extras.ownServers ? ownServer(operation) : undefined
    const at = server === undefined ? 'context' : code`${atServer}(context, ${literal(server)})`
    const module = writerOfDates(api, operation)
    const argument =
      module === undefined ? 'input' : code`${sendable(module)}(${literal(id)}, input)`
    const call = code`${perform}(${at}, ${facts}.${id}, ${argument}, options)`
    const takes = code`context: ${clientContext(server)}, input`
    const overloads = choosesStream(api, operation)
      ? code`export function ${id}(${takes}: ${input} & { readonly stream: true }, options?: ${options}): Promise<${result}<true>>
export function ${id}(${takes}${mark(api, operation)}: ${input} & { readonly stream?: false | null }, options?: ${options}): Promise<${result}<false>>
export function ${id}(${takes}${mark(api, operation)}: ${input}, options?: ${options}): Promise<${result}>
`
      : ''
    return code`${comment}${overloads}export function ${id}(${takes}${mark(api, operation)}: ${input}, options?: ${options}): Promise<${result}> {
  return ${extras.headers && hasHeaders(operation) ? code`${withHeaders}(${call}, ${headers}.${id})` : call}
}`
  })
}

/** The function that checks or writes the dates of an input. Undefined without any. */
function writerOfDates(api: Api, { parameters, body }: Operation): string | undefined {
  const argument = [...parameters, ...(body?.contents ?? [])]
  if (argument.some(({ schema }) => holdsTemporal(api, schema))) return './temporal-values.js'
  return argument.some(({ schema }) => holdsDate(api, schema)) ? './date-values.js' : undefined
}

function mark(api: Api, operation: Operation): string {
  return hasInput(api, operation) === 'required' ? '' : '?'
}
