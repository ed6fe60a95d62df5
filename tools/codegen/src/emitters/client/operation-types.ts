import { code, join, namespace, symbol, type Code } from '../../emit/code.js'
import {
  findBodyShape,
  contentKind,
  isForm,
  findTextScalar,
  printStreamType,
  listXmlParts,
} from '../../emit/content.js'
import { literal } from '../../emit/literal.js'
import { oncePerParameter } from '../../emit/operation-facts.js'
import { findDefault, holdsBinary, oncePer, resolveRef } from '../../emit/schemas.js'
import {
  printField,
  printFieldType,
  isChoice,
  type StatusType,
  listStatusTypes,
  textual,
  type TypeContext,
  typeText,
} from '../../emit/type-text.js'
import type {
  Api,
  BodyContent,
  Content,
  Operation,
  PaymentInfo,
  RequestBody,
  Response,
} from '../../ir/api.js'
import { inputWords } from '../../ir/names.js'
import type { Schema } from '../../ir/schema.js'

export const fileInput = code`${namespace('files', './files.js', { typeOnly: true })}.FileInput`

/** The options of a call. Those of an operation that is paid for bound what is paid. */
export function importOptionsType(payment: PaymentInfo | undefined): Code {
  return symbol(payment ? 'PaidCallOptions' : 'CallOptions', './call.js', { typeOnly: true })
}

/** The flat input of an operation. `forms` are the types of its form fields. */
export function printInputType(api: Api, operation: Operation, forms: TypeContext): Code {
  const fields = operation.parameters
    .filter(({ credential }) => !credential)
    .map(createFieldPrinter(api))
  const body = operation.body && printBodiesType(api, operation.body, fields.length > 0, forms)
  if (fields.length === 0) return body ?? code`Readonly<Record<string, never>>`
  const own = code`{\n${join(fields, '\n')}\n}`
  return body === undefined ? own : code`${own} & ${body}`
}

const createFieldPrinter = oncePer(
  (api: Api) =>
    oncePerParameter(api, ({ field, schema, required, notes }): Code => {
      const described =
        notes.description === undefined
          ? schema
          : { ...schema, notes: { ...schema.notes, description: notes.description } }
      const type = printFieldType(schema, { ...textual, api })
      // null leaves a parameter out
      const given = required && acceptsNull(api, schema) ? code`NonNullable<${type}>` : type
      return printField(field, described, required, given)
    }),
  new WeakMap(),
)

/** One member for each media type, discriminated by `contentType`. */
function printBodiesType(
  api: Api,
  body: RequestBody,
  besideFields: boolean,
  forms: TypeContext,
): Code {
  const { contents } = body
  const [first] = contents
  if (contents.length < 2)
    return first === undefined ? code`{}` : printBodyType(api, body, first, besideFields, forms)
  const members = contents.map((content) => {
    const mark = content === first ? '?' : ''
    const choice = code`{ readonly ${inputWords.choice}${mark}: ${literal(content.mediaType)} }`
    return code`(${choice} & ${printBodyType(api, body, content, true, forms)})`
  })
  return besideFields ? code`(${join(members, ' | ')})` : join(members, ' | ')
}

function printBodyType(
  api: Api,
  body: RequestBody,
  content: BodyContent,
  besideFields: boolean,
  forms: TypeContext,
): Code {
  const hasFiles =
    isForm(content.mediaType) &&
    contentKind(content, api) !== 'json' &&
    holdsBinary(api, content.schema)
  // the named type has `Blob | Uint8Array` where more can be sent, so a form with files is inlined
  // out
  const schema = hasFiles ? resolveRef(api, content.schema) : content.schema
  const type = allowXml(
    api,
    content,
    hasFiles ? typeText(schema, forms) : printWholeType(api, content),
  )
  const { flatten, nested } = findBodyShape(api, body, content)
  if (flatten === 'body')
    return code`{\n  readonly ${inputWords.whole}${body.required ? '' : '?'}: ${type}\n}`
  const fields = body.required ? type : code`Partial<${type}>`
  if (nested.length > 0) {
    const taken = join(nested.map(literal), ' | ')
    return code`${symbol('Beside', './beside.js', { typeOnly: true })}<${fields}, ${taken}>`
  }
  return body.required && besideFields && isChoice(schema) ? code`(${type})` : fields
}

function allowXml(api: Api, content: Content, form: Code): Code {
  const parts = listXmlParts(api, content)
  if (parts.length === 0) return form
  return code`${symbol('XmlParts', './xml-parts.js', { typeOnly: true })}<${form}, ${join(parts.map(literal), ' | ')}>`
}

function printWholeType(api: Api, content: Content): Code {
  const { mediaType, schema } = content
  if (contentKind(content, api) === 'json' || isForm(mediaType)) return typeText(schema, textual)
  if (contentKind(content, api) === 'binary') return fileInput
  if (content.stream?.kind === 'lines' || content.stream?.kind === 'records') {
    const item = typeText(schema, textual)
    return code`Iterable<${item}> | AsyncIterable<${item}> | ${fileInput} | string`
  }
  if (content.stream?.kind === 'parts') {
    const item = typeText(schema, { ...textual, binary: fileInput })
    return code`Iterable<${item}> | AsyncIterable<${item}> | Blob`
  }
  if (content.stream !== undefined) return code`${fileInput} | string`
  // XML and the like have no single mapping from an object, so the caller passes a string
  return isScalar(resolveRef(api, schema)) ? typeText(schema, textual) : code`${fileInput} | string`
}

function acceptsNull(api: Api, schema: Schema): boolean {
  const node = resolveRef(api, schema)
  if (node.kind === 'enum') return node.values.includes(null)
  const options = node.kind === 'union' || node.kind === 'oneOf' ? node.options : [node]
  return options.some((option) => resolveRef(api, option).kind === 'null')
}

function isScalar({ kind }: Schema): boolean {
  return kind === 'string' || kind === 'number' || kind === 'boolean' || kind === 'enum'
}

const types = namespace('types', '#types', { typeOnly: true })

/** Within JSON bytes can only be a string. */
const context: TypeContext = { named: (name) => code`${types}.${name}`, binary: code`string` }
const ofParts: TypeContext = { ...context, binary: code`Blob` }

/**
 * One member for each declared status, range and `default`. No status is in two members, so that it
 * discriminates them. `headers` are the additional headers of a response. Where the input chooses
 * between JSON and items, the type parameter `Stream` does.
 */
export function printResultType(
  api: Api,
  operation: Operation,
  headers: (response: Response) => Code | undefined = () => undefined,
): Code {
  const { responses } = operation
  const value = createValueTypes(api)[operation.idempotent ? 'idempotent' : 'once']
  const isChosen = choosesStream(api, operation)
  const members = responses.flatMap((response) => {
    const { contents } = response
    const type =
      isChosen && hasStreamChoice(api, response)
        ? code`Stream extends true ? ${value(contents.filter(isStream))} : ${value(contents.filter((content) => !isStream(content)))}`
        : value(contents)
    const more = headers(response)
    return listStatusTypes(response, responses).map((status) =>
      more === undefined
        ? printMember(status, type)
        : code`${printMember(status, type)} & { readonly headers: ${more} }`,
    )
  })
  return join(members.length === 0 ? [code`  never`] : members, '\n')
}

function isStream({ stream }: Content): boolean {
  return stream !== undefined
}

function printMember({ type: status, succeeds }: StatusType, type: Code): Code {
  return code`  | ${symbol(succeeds ? 'Success' : 'Failure', './call.js', { typeOnly: true })}<${status}, ${type}>`
}

/** By whether the operation may be repeated: a stream of it can then be resumed. */
const createValueTypes = oncePer((api: Api) => {
  const dataType = (idempotent: boolean) =>
    oncePer((contents: Response['contents']): Code => printContentsType(api, contents, idempotent))
  return { idempotent: dataType(true), once: dataType(false) }
}, new WeakMap())

function printContentsType(api: Api, contents: Response['contents'], idempotent: boolean): Code {
  const all = contents.map((content) => {
    const kind = contentKind(content, api)
    if (content.stream !== undefined)
      return printStreamType(
        content.stream,
        typeText(content.schema, content.stream.kind === 'parts' ? ofParts : context),
        { idempotent },
      )
    return kind === 'binary'
      ? code`Response`
      : kind === 'text' && findTextScalar(api, content) === undefined
        ? code`string`
        : typeText(content.schema, context)
  })
  const seen = new Set<string>()
  const different = all.filter(({ text }) => !seen.has(text) && seen.add(text))
  return different.length === 0 ? code`undefined` : join(different, ' | ')
}

/** The field with which a caller chooses between a whole body and its items. */
const field = 'stream'

/**
 * Whether `stream: true` in the input decides that the response has items: it has JSON or items
 * for one status, and the field of the body is a boolean that is not true by default.
 */
export function choosesStream(api: Api, { responses, body }: Operation): boolean {
  if (!responses.some((response) => hasStreamChoice(api, response))) return false
  if (body === undefined || body.contents.length !== 1) return false
  const { flatten, nested } = findBodyShape(api, body)
  const [content] = body.contents
  if (flatten === 'body' || nested.includes(field) || content === undefined) return false
  const schema = findStreamProperty(api, content.schema)
  return schema !== undefined && isBoolean(api, schema) && findDefault(api, schema) !== true
}

/** Whether a response is JSON or items of it. */
function hasStreamChoice(api: Api, { contents }: Pick<Response, 'contents'>): boolean {
  return (
    contents.some(({ stream }) => stream !== undefined) &&
    contents.some(
      (content) => content.stream === undefined && contentKind(content, api) === 'json',
    ) &&
    contents.every((content) => content.stream || contentKind(content, api) === 'json')
  )
}

function findStreamProperty(api: Api, schema: Schema): Schema | undefined {
  const found = resolveRef(api, schema)
  if (found.kind === 'object') return found.properties.find(({ name }) => name === field)?.schema
  if (found.kind !== 'intersection') return undefined
  const [first] = found.parts.flatMap((part) => findStreamProperty(api, part) ?? [])
  return first
}

function isBoolean(api: Api, schema: Schema): boolean {
  const found = resolveRef(api, schema)
  return found.kind === 'union'
    ? found.options.every(({ kind }) => kind === 'boolean' || kind === 'null')
    : found.kind === 'boolean'
}
