import { code, symbol } from '../emit/code.js'
import type { Emitter } from '../emit/emitter.js'
import { docComment, literal } from '../emit/literal.js'
import { originLine } from '../emit/origin-line.js'
import { sourceFile } from '../emit/source-file.js'
import type { Api, NamedSchema } from '../ir/api.js'

/** TypeScript types, and nothing that runs. */
export const types: Emitter = {
  name: 'types',
  into: 'packages/types/src/generated',
  emit: (api) => [
    sourceFile(
      'schema.ts',
      api.declarations().map((text) => ({ text, imports: [] })),
    ),
    sourceFile('index.ts', index(api)),
  ],
}

function index(api: Api) {
  return [code`export type { components, operations, paths } from './schema.js'`, ...api.schemas.map((schema) => alias(api, schema))]
}

function alias(api: Api, { name, key, schema, origin }: NamedSchema) {
  const components = symbol('components', './schema.js', { typeOnly: true })
  const comment = docComment([schema.notes.description, originLine(api, origin)])
  return code`${comment}export type ${name} = ${components}['schemas'][${literal(key)}]`
}
