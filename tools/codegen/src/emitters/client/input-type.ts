import { bodyShape, isForm } from '../../emit/body-shape.js'
import { code, join, namespace, type Code } from '../../emit/code.js'
import { contentKind } from '../../emit/content-kind.js'
import { holdsBinary } from '../../emit/holds-binary.js'
import { oncePer } from '../../emit/once-per.js'
import { docComment } from '../../emit/literal.js'
import { lookupIn, resolveRef } from '../../emit/resolve.js'
import { fieldText, isChoice, typeText, type TypeContext } from '../../emit/type-text.js'
import type { Api, Content, Operation, Parameter, RequestBody } from '../../ir/api.js'
import type { Schema } from '../../ir/schema.js'

const types = namespace('types', '#types', { typeOnly: true })
const fileInput = code`${namespace('files', './files.js', { typeOnly: true })}.FileInput`

/** Within JSON, a form of text, or a parameter bytes can only be a string. */
const textual: TypeContext = { named: (name) => code`${types}.${name}`, binary: code`string` }

/** The types of form fields: those of the document, except for files. */
export type FormTypes = TypeContext & {
  /**
   * Those that were named, each once: schemas may refer to each other in more ways than could be
   * spelt out.
   */
  readonly declarations: () => readonly Code[]
}

export function formTypes(api: Api): FormTypes {
  const lookup = lookupIn(api)
  const asked = new Set<string>()
  const named = (name: string): Code => {
    const schema = lookup(name)
    if (!holdsBinary(api, schema)) return textual.named(name)
    if (resolveRef(api, schema).kind === 'binary') return fileInput
    asked.add(name)
    return code`${name}Form`
  }
  const context: TypeContext = { named, binary: fileInput }
  const declaration = (name: string): Code =>
    code`${docComment([`What \`${name}\` is within a form.`])}export type ${name}Form = ${typeText(lookup(name), context)}`
  // to declare one may ask for another, which the set then gives as well
  return { ...context, declarations: () => Array.from(asked, declaration) }
}

/** The flat input of an operation. `forms` are the types of its form fields. */
export function inputType(api: Api, operation: Operation, forms: TypeContext): Code {
  const fields = operation.parameters.filter(({ credential }) => !credential).map(parameterField)
  const body = operation.body && bodyType(api, operation.body, fields.length > 0, forms)
  if (fields.length === 0) return body ?? code`Readonly<Record<string, never>>`
  const own = code`{\n${join(fields, '\n')}\n}`
  return body === undefined ? own : code`${own} & ${body}`
}

const parameterField = oncePer(({ field, schema, required, notes }: Parameter): Code => {
  const described = notes.description === undefined ? schema : { ...schema, notes: { ...schema.notes, description: notes.description } }
  return fieldText(field, described, required, typeText(schema, textual))
})

/** Whether the caller must give an input. */
export function hasInput(api: Api, { parameters, body }: Operation): 'required' | 'optional' {
  if (parameters.some(({ required, credential }) => required && !credential)) return 'required'
  if (body?.required !== true) return 'optional'
  if (bodyShape(api, body).flatten === 'body') return 'required'
  const schema = body.contents[0] && resolveRef(api, body.contents[0].schema)
  const isOptional = schema?.kind === 'object' && schema.properties.every(({ required }) => !required)
  return isOptional && schema.alsoRequired.length === 0 ? 'optional' : 'required'
}

function bodyType(api: Api, body: RequestBody, besideFields: boolean, forms: TypeContext): Code | undefined {
  const [content] = body.contents
  if (content === undefined) return undefined
  const hasFiles = isForm(content.mediaType) && contentKind(content, api) !== 'json' && holdsBinary(api, content.schema)
  // the named type says `Blob | Uint8Array` where more can be sent, so a form with files is spelt
  // out
  const schema = hasFiles ? resolveRef(api, content.schema) : content.schema
  const type = hasFiles ? typeText(schema, forms) : wholeType(api, content)
  if (bodyShape(api, body).flatten === 'body') return code`{\n  readonly body${body.required ? '' : '?'}: ${type}\n}`
  if (!body.required) return code`Partial<${type}>`
  return besideFields && isChoice(schema) ? code`(${type})` : type
}

function wholeType(api: Api, content: Content): Code {
  const { mediaType, schema } = content
  if (contentKind(content, api) === 'json' || isForm(mediaType)) return typeText(schema, textual)
  if (contentKind(content, api) === 'binary') return fileInput
  // XML and the like have no single mapping from an object, so the caller passes text.
  return isScalar(resolveRef(api, schema)) ? typeText(schema, textual) : code`${fileInput} | string`
}

function isScalar({ kind }: Schema): boolean {
  return kind === 'string' || kind === 'number' || kind === 'boolean' || kind === 'enum'
}
