import { code, namespace, sourceFile, type Code } from '../emit/code.js'
import { formatModes, type Emitter, type FormatMode } from '../emit/emitter.js'
import { docComment, originLine } from '../emit/literal.js'
import { createLookup } from '../emit/resolve.js'
import { createDeclare, createSharing, type Declare } from '../emit/constants.js'
import type { Api, NamedSchema } from '../ir/api.js'
import { expression, type ExpressionContext } from './zod/expression.js'
import { words, z } from './zod/modules.js'
import { createInference, operationValidators } from './zod/operations.js'

const runtime = [
  'zod/checks.ts',
  'zod/deferred.ts',
  '../src/formats/host-names.ts',
  '../src/formats/format-tests.ts',
  'zod/formats.ts',
  'zod/bigints.ts',
  'zod/temporal.ts',
  'zod/unevaluated.ts',
]
const types = namespace('types', '#types', { typeOnly: true })

export type ZodOptions = {
  /**
   * `mini` uses `zod/mini`: the same verdicts and fewer bytes, with functions in place of methods.
   * `core` uses zod's core: the fewest bytes, and only the methods `check` and `safeParse`.
   * Default: `full`.
   */
  readonly flavour?: ZodFlavour
  /** Whether validators check formats (`assert`) or ignore them (`annotate`). Default: `assert`. */
  readonly formats?: FormatMode
  /**
   * Annotates the type of each validator, as `isolatedDeclarations` requires: a `ZodType` of the
   * schema's type, without the methods of single kinds such as `extend`. Default: false.
   */
  readonly declared?: boolean
}

export const zodFlavours = ['full', 'mini', 'core'] as const
export type ZodFlavour = (typeof zodFlavours)[number]

/** `stated` is what `isolatedDeclarations` demands. */
const declarationModes = ['inferred', 'stated'] as const

/** A zod validator for each schema and operation. Flavours differ in one runtime file. */
export function zodWith({
  flavour = 'full',
  formats = 'assert',
  declared = false,
}: ZodOptions = {}): Emitter {
  const mode: Mode = {
    ...(formats === 'annotate' && { annotate: true }),
    ...(flavour === 'full' && { methods: true }),
  }
  return {
    name: 'zod',
    converts: ['dates', 'int64'],
    needs: ['types'],
    into: 'packages/zod/src/generated',
    runtime: [...runtime, flavour === 'full' ? 'zod/zod.ts' : `zod/${flavour}/zod.ts`],
    runtimeByNeed: true,
    suits: ['zod'],
    options: { flavour: zodFlavours, formats: formatModes, declarations: declarationModes },
    configure: ({ declarations, ...options }) =>
      zodWith({ ...options, declared: declarations === 'stated' }),
    emit: (api) => [
      sourceFile('schemas.ts', schemaValidators(api, mode, declared)),
      sourceFile('operations.ts', operationValidators(api, mode, declared)),
      sourceFile('index.ts', [code`export * from './schemas.js'`]),
    ],
  }
}

/** The output in this repository. */
export const zod: Emitter = zodWith()

type Mode = Pick<ExpressionContext, 'annotate' | 'methods'>

function schemaValidators(api: Api, mode: Mode, declared: boolean): readonly Code[] {
  const { mark, statements } = createSharing()
  const context: ExpressionContext = {
    ...mode,
    mark,
    named: (name) => code`${name}`,
    lookup: createLookup(api),
    isInferred: createInference(api, declared),
  }
  const declare = createDeclare(api.schemas.map(({ name }) => name))
  return statements(
    api.schemas.map((named) => ({
      name: named.name,
      value: expression(named.schema, context),
      declare: (value) =>
        declaration(api, { ...named, cyclic: named.cyclic || declared }, declare, value),
    })),
    // a bundle with one validator contains every constant that the validator uses
    { declare, words, worth: 1000 },
  )
}

/** A recursive schema declares its type, as TypeScript cannot infer it. */
function declaration(
  api: Api,
  { name, schema, cyclic, origin }: NamedSchema,
  declare: Declare,
  validator: Code,
): Code {
  const comment = docComment([schema.notes.description, originLine(api, origin)])
  const type = code`${z}.ZodType<${types}.${name}, ${types}.${name}>`
  const declared = cyclic
    ? declare(name, code`${validator} as unknown as ${type}`, type)
    : declare(name, validator)
  return code`${comment}export ${declared}\nexport type ${name} = ${types}.${name}`
}
