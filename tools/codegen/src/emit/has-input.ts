import type { Api, Operation } from '../ir/api.js'
import { bodyShape } from './body-shape.js'
import { resolveRef } from './resolve.js'

/** Whether the input is required. */
export function hasInput(api: Api, { parameters, body }: Operation): 'required' | 'optional' {
  if (parameters.some(({ required, credential }) => required && !credential)) return 'required'
  if (body?.required !== true) return 'optional'
  if (bodyShape(api, body).flatten === 'body') return 'required'
  const schema = body.contents[0] && resolveRef(api, body.contents[0].schema)
  const isOptional =
    schema?.kind === 'object' && schema.properties.every(({ required }) => !required)
  return isOptional && schema.alsoRequired.length === 0 ? 'optional' : 'required'
}
