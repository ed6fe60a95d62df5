import { code, sourceFile, type Code } from '../emit/code.js'
import type { Emitter } from '../emit/emitter.js'
import { docComment, describeOrigin } from '../emit/literal.js'
import { commentLines, typeText, type TypeContext } from '../emit/type-text.js'
import { createDateType } from '../emit/values/converted.js'
import type { Api, NamedSchema } from '../ir/api.js'

/** A TypeScript type for each schema. */
export const types: Emitter = {
  name: 'types',
  converts: ['dates', 'int64'],
  into: 'packages/types/src/generated',
  emit: (api) => [sourceFile('index.ts', printTypeDeclarations(api))],
}

const context: TypeContext = {
  named: (name) => code`${name}`,
  binary: code`Blob | Uint8Array`,
  mutable: true,
}

/** Only the declarations. */
export function printTypeDeclarations(api: Api): readonly Code[] {
  const own: TypeContext = { ...context, date: createDateType(api), api }
  return api.schemas.length === 0
    ? [code`export {}`]
    : api.schemas.map((named) => printDeclaration(api, named, own))
}

function printDeclaration(api: Api, { name, schema, origin }: NamedSchema, own: TypeContext): Code {
  return code`${docComment([...commentLines(schema), describeOrigin(api, origin)])}export type ${name} = ${typeText(schema, own)}`
}
