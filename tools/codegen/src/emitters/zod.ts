import { code, namespace, type Code } from '../emit/code.js'
import type { Emitter } from '../emit/emitter.js'
import { docComment } from '../emit/literal.js'
import { sourceFile } from '../emit/source-file.js'
import type { NamedSchema } from '../ir/api.js'
import { expression } from './zod/expression.js'
import { operationValidators } from './zod/operations.js'

/** A zod validator for each schema and for each operation. */
export const zod: Emitter = {
  name: 'zod',
  into: 'packages/zod/src/generated',
  runtime: ['zod/checks.ts'],
  emit: (api) => [
    sourceFile('schemas.ts', api.schemas.map(declaration)),
    sourceFile('operations.ts', operationValidators(api)),
    sourceFile('index.ts', [code`export * from './schemas.js'`]),
  ],
}

const z = namespace('z', 'zod')
const types = namespace('types', '#types', { typeOnly: true })

/** Lazily built inside one call that a bundler may drop. A schema that reaches itself states its type, as none can be inferred. */
function declaration({ name, schema, cyclic, origin }: NamedSchema): Code {
  const comment = docComment([schema.notes.description, `@see ${origin.file}`])
  const type = cyclic ? code`: ${z}.ZodType<${types}.${name}, ${types}.${name}>` : ''
  return code`${comment}export const ${name}${type} = /* @__PURE__ */ (() => ${expression(schema, { named: (other) => code`${other}` })})()`
}
