import { code, symbol, type Code } from '../emit/code.js'
import type { Emitter } from '../emit/emitter.js'
import { docComment } from '../emit/literal.js'
import { originLine } from '../emit/origin-line.js'
import { sourceFile } from '../emit/source-file.js'
import { commentLines, typeText, type TypeContext } from '../emit/type-text.js'
import type { Api, NamedSchema } from '../ir/api.js'
import { uniqueNames } from '../ir/names.js'

/** A TypeScript type for each schema. */
export const types: Emitter = {
  name: 'types',
  converts: ['dates', 'int64'],
  into: 'packages/types/src/generated',
  emit: (api) => [sourceFile('index.ts', typeDeclarations(api))],
}

const context: TypeContext = { named: (name) => code`${name}`, binary: code`Blob | Uint8Array`, mutable: true }

/** The declarations alone. */
export function typeDeclarations(api: Api): readonly Code[] {
  const temporal = symbol('Temporal', 'temporal-spec', { typeOnly: true, as: uniqueNames(api.schemas.map(({ name }) => name))('Temporal') })
  const isDateTaken = api.schemas.some(({ name }) => name === 'Date')
  const own: TypeContext = {
    ...context,
    date: (as) => (as === 'Date' ? code`${isDateTaken && 'globalThis.'}Date` : code`${temporal}.${as}`),
  }
  return api.schemas.length === 0 ? [code`export {}`] : api.schemas.map((named) => declaration(api, named, own))
}

function declaration(api: Api, { name, schema, origin }: NamedSchema, own: TypeContext): Code {
  return code`${docComment([...commentLines(schema), originLine(api, origin)])}export type ${name} = ${typeText(schema, own)}`
}
