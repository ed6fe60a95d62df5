import { code, join, namespace, symbol, type Code } from '../../emit/code.js'
import { resolveRef } from '../../emit/resolve.js'
import { fieldText, typeText, type TypeContext } from '../../emit/type-text.js'
import type { Api, Content, Operation, RequestBody } from '../../ir/api.js'

const types = namespace('types', '#types', { typeOnly: true })

/** How types of bodies are written: named ones by reference, files as whatever can be sent. */
const context: TypeContext = {
  named: (name) => code`${types}.${name}`,
  binary: symbol('FileInput', './files.js', { typeOnly: true }),
}

/** The flat input of an operation. */
export function inputType(api: Api, operation: Operation): Code {
  const fields = operation.parameters
    .filter(({ credential }) => !credential)
    .map(({ field, schema, required, notes }) =>
      fieldText(field, notes.description === undefined ? schema : { ...schema, notes: { ...schema.notes, description: notes.description } }, required, typeText(schema, context)),
    )
  const body = operation.body && bodyType(api, operation.body)
  if (fields.length === 0) return body ?? code`Readonly<Record<string, never>>`
  const own = code`{\n${join(fields, '\n')}\n}`
  return body === undefined ? own : code`${own} & ${body}`
}

/** Whether the caller must give an input. */
export function hasInput(api: Api, { parameters, body }: Operation): 'required' | 'optional' {
  if (parameters.some(({ required, credential }) => required && !credential)) return 'required'
  if (body?.required !== true) return 'optional'
  if (body.flatten === 'body') return 'required'
  const schema = body.contents[0] && resolveRef(api, body.contents[0].schema)
  return schema?.kind === 'object' && schema.properties.every(({ required }) => !required) ? 'optional' : 'required'
}

function bodyType(api: Api, body: RequestBody): Code | undefined {
  const [content] = body.contents
  if (content === undefined) return undefined
  if (body.flatten === 'body') return code`{\n  readonly body${body.required ? '' : '?'}: ${wholeType(api, content)}\n}`
  const type = wholeType(api, content)
  return body.required ? type : code`Partial<${type}>`
}

/** A form is spelt out, as what can be sent for a file is more than what the schema's own type says. */
function wholeType(api: Api, { mediaType, schema }: Content): Code {
  return typeText(/^multipart\//i.test(mediaType) ? resolveRef(api, schema) : schema, context)
}

