import { bodyShape, isForm } from '../../emit/body-shape.js'
import { code, join, namespace, symbol, type Code } from '../../emit/code.js'
import { contentKind } from '../../emit/content-kind.js'
import { holdsBinary } from '../../emit/holds-binary.js'
import { textual } from '../../emit/form-types.js'
import { oncePer } from '../../emit/once-per.js'
import { literal } from '../../emit/literal.js'
import { resolveRef } from '../../emit/resolve.js'
import { fieldText, fieldType, isChoice, typeText, type TypeContext } from '../../emit/type-text.js'
import type {
  Api,
  BodyContent,
  Content,
  Operation,
  Parameter,
  PaymentInfo,
  RequestBody,
} from '../../ir/api.js'
import { xmlParts } from '../../emit/xml-parts.js'
import { inputWords } from '../../ir/input-words.js'
import type { Schema } from '../../ir/schema.js'

export const fileInput = code`${namespace('files', './files.js', { typeOnly: true })}.FileInput`

/** The options of a call. Those of an operation that is paid for bound what is paid. */
export function optionsType(payment: PaymentInfo | undefined): Code {
  return symbol(payment ? 'PaidCallOptions' : 'CallOptions', './call.js', { typeOnly: true })
}

/** The flat input of an operation. `forms` are the types of its form fields. */
export function inputType(api: Api, operation: Operation, forms: TypeContext): Code {
  const fields = operation.parameters
    .filter(({ credential }) => !credential)
    .map(parameterField(api))
  const body = operation.body && bodiesType(api, operation.body, fields.length > 0, forms)
  if (fields.length === 0) return body ?? code`Readonly<Record<string, never>>`
  const own = code`{\n${join(fields, '\n')}\n}`
  return body === undefined ? own : code`${own} & ${body}`
}

const parameterField = oncePer((api: Api) =>
  oncePer(({ field, schema, required, notes }: Parameter): Code => {
    const described =
      notes.description === undefined
        ? schema
        : { ...schema, notes: { ...schema.notes, description: notes.description } }
    return fieldText(field, described, required, fieldType(schema, { ...textual, api }))
  }),
)

/** One member for each media type, discriminated by `contentType`. */
function bodiesType(api: Api, body: RequestBody, besideFields: boolean, forms: TypeContext): Code {
  const { contents } = body
  const [first] = contents
  if (contents.length < 2)
    return first === undefined ? code`{}` : bodyType(api, body, first, besideFields, forms)
  const members = contents.map((content) => {
    const mark = content === first ? '?' : ''
    const choice = code`{ readonly ${inputWords.choice}${mark}: ${literal(content.mediaType)} }`
    return code`(${choice} & ${bodyType(api, body, content, true, forms)})`
  })
  return besideFields ? code`(${join(members, ' | ')})` : join(members, ' | ')
}

function bodyType(
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
  const type = allowXml(api, content, hasFiles ? typeText(schema, forms) : wholeType(api, content))
  const { flatten, nested } = bodyShape(api, body, content)
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
  const parts = xmlParts(api, content)
  if (parts.length === 0) return form
  return code`${symbol('XmlParts', './xml-parts.js', { typeOnly: true })}<${form}, ${join(parts.map(literal), ' | ')}>`
}

function wholeType(api: Api, content: Content): Code {
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

function isScalar({ kind }: Schema): boolean {
  return kind === 'string' || kind === 'number' || kind === 'boolean' || kind === 'enum'
}
