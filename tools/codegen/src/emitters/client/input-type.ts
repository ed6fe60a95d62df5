import { bodyShape, isForm } from '../../emit/body-shape.js'
import { code, join, namespace, type Code } from '../../emit/code.js'
import { contentKind } from '../../emit/content-kind.js'
import { holdsBinary } from '../../emit/holds-binary.js'
import { oncePer } from '../../emit/once-per.js'
import { resolveRef } from '../../emit/resolve.js'
import { fieldText, isChoice, typeText, type TypeContext } from '../../emit/type-text.js'
import type { Api, Content, Operation, Parameter, RequestBody } from '../../ir/api.js'
import type { Schema } from '../../ir/schema.js'

const types = namespace('types', '#types', { typeOnly: true })
const fileInput = code`${namespace('files', './files.js', { typeOnly: true })}.FileInput`

/** Within JSON, a form of text, or a parameter bytes can only be a string. */
const textual: TypeContext = { named: (name) => code`${types}.${name}`, binary: code`string` }

/** The flat input of an operation. */
export function inputType(api: Api, operation: Operation): Code {
  const fields = operation.parameters.filter(({ credential }) => !credential).map(parameterField)
  const body = operation.body && bodyType(api, operation.body, fields.length > 0)
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

function bodyType(api: Api, body: RequestBody, besideFields: boolean): Code | undefined {
  const [content] = body.contents
  if (content === undefined) return undefined
  const type = wholeType(api, content)
  if (bodyShape(api, body).flatten === 'body') return code`{\n  readonly body${body.required ? '' : '?'}: ${type}\n}`
  if (!body.required) return code`Partial<${type}>`
  return besideFields && isChoice(content.schema) ? code`(${type})` : type
}

function wholeType(api: Api, content: Content): Code {
  const { mediaType, schema } = content
  if (contentKind(content, api) === 'json') return typeText(schema, textual)
  if (isForm(mediaType)) return typeText(schema, holdsBinary(api, schema) ? withFiles(api) : textual)
  if (contentKind(content, api) === 'binary') return fileInput
  // There is no one way to write an object as XML or the like: the caller writes it.
  return isScalar(resolveRef(api, schema)) ? typeText(schema, textual) : code`${fileInput} | string`
}

/** A form is spelt out as far as it holds files, as what can be sent for one is more than what the named type says. */
function withFiles(api: Api, within: readonly string[] = []): TypeContext {
  const named = (name: string): Code => {
    const target = within.includes(name) ? undefined : api.schemas.find((candidate) => candidate.name === name)
    if (target === undefined || !holdsBinary(api, target.schema)) return textual.named(name)
    const type = typeText(target.schema, withFiles(api, [...within, name]))
    return /^\{|^[\w.]+$/.test(type.text) ? type : code`(${type})`
  }
  return { named, binary: fileInput }
}

function isScalar({ kind }: Schema): boolean {
  return kind === 'string' || kind === 'number' || kind === 'boolean' || kind === 'enum'
}
