import { code, type Code } from '../emit/code.js'
import type { Emitter } from '../emit/emitter.js'
import { docComment } from '../emit/literal.js'
import { originLine } from '../emit/origin-line.js'
import { sourceFile } from '../emit/source-file.js'
import { commentLines, typeText, type TypeContext } from '../emit/type-text.js'
import type { Api, NamedSchema } from '../ir/api.js'

/** A TypeScript type for each schema, and nothing that runs. */
export const types: Emitter = {
  name: 'types',
  into: 'packages/types/src/generated',
  emit: (api) => [sourceFile('index.ts', declarations(api))],
}

const context: TypeContext = { named: (name) => code`${name}`, binary: code`Blob | Uint8Array`, mutable: true }

function declarations(api: Api): readonly Code[] {
  return api.schemas.length === 0 ? [code`export {}`] : api.schemas.map((named) => declaration(api, named))
}

function declaration(api: Api, { name, schema, origin }: NamedSchema): Code {
  return code`${docComment([...commentLines(schema), originLine(api, origin)])}export type ${name} = ${typeText(schema, context)}`
}
