import { code, namespace, type Code } from '../emit/code.js'
import type { Emitter } from '../emit/emitter.js'
import { docComment } from '../emit/literal.js'
import { lookupIn } from '../emit/resolve.js'
import { sourceFile } from '../emit/source-file.js'
import type { NamedSchema } from '../ir/api.js'
import { expression, type ExpressionContext } from './zod/expression.js'
import { operationValidators } from './zod/operations.js'

/** A zod validator for each schema and for each operation. */
export const zod: Emitter = {
  name: 'zod',
  into: 'packages/zod/src/generated',
  runtime: ['zod/checks.ts', 'zod/formats.ts', 'zod/unevaluated.ts'],
  emit: (api) => [
    sourceFile(
      'schemas.ts',
      api.schemas.map((schema) => declaration(schema, { named: (name) => code`${name}`, lookup: lookupIn(api) })),
    ),
    sourceFile('operations.ts', operationValidators(api)),
    sourceFile('index.ts', [code`export * from './schemas.js'`]),
  ],
}

const z = namespace('z', 'zod')
const types = namespace('types', '#types', { typeOnly: true })

/** Lazily built inside one call that a bundler may drop. A schema that reaches itself states its type, as none can be inferred. */
function declaration({ name, schema, cyclic, origin }: NamedSchema, context: ExpressionContext): Code {
  const comment = docComment([schema.notes.description, `@see ${origin.file}`])
  const type = code`${z}.ZodType<${types}.${name}, ${types}.${name}>`
  const validator = expression(schema, context)
  return cyclic
    ? code`${comment}export const ${name}: ${type} = /* @__PURE__ */ (() => ${validator} as unknown as ${type})()`
    : code`${comment}export const ${name} = /* @__PURE__ */ (() => ${validator})()`
}
