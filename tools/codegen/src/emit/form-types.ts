import type { Api } from '../ir/api.js'
import { code, namespace, type Code } from './code.js'
import { holdsBinary } from './holds-binary.js'
import { docComment } from './literal.js'
import { createLookup, resolveRef } from './resolve.js'
import { typeText, type TypeContext } from './type-text.js'

const types = namespace('types', '#types', { typeOnly: true })

/** In JSON, a urlencoded form or a parameter, bytes can only be a string. */
export const textual: TypeContext = {
  named: (name) => code`${types}.${name}`,
  binary: code`string`,
}

/** The types of form fields: those of the document, except for files. */
export type FormTypes = TypeContext & {
  /**
   * Declarations of the referenced types, each once: schemas may refer to each other in more ways
   * than can be inlined.
   */
  readonly declarations: () => readonly Code[]
}

/** `file` is the type of a file in a form. */
export function formTypes(api: Api, file: Code): FormTypes {
  const lookup = createLookup(api)
  const names = new Set<string>()
  const named = (name: string): Code => {
    const schema = lookup(name)
    if (!holdsBinary(api, schema)) return textual.named(name)
    if (resolveRef(api, schema).kind === 'binary') return file
    names.add(name)
    return code`${name}Form`
  }
  const context: TypeContext = { named, binary: file }
  const declaration = (name: string): Code =>
    code`${docComment([`What \`${name}\` is within a form.`])}export type ${name}Form = ${typeText(lookup(name), context)}`
  // a declaration may add names, which the iteration then visits
  return { ...context, declarations: () => Array.from(names, declaration) }
}
