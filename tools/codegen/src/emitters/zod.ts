import { block, code, type Code, join, namespace, sourceFile } from '../emit/code.js'
import { formatModes, type Emitter, type FormatMode } from '../emit/emitter.js'
import { docComment, describeOrigin, propertyKey } from '../emit/literal.js'
import { createLookup, oncePer } from '../emit/schemas.js'
import { createDeclare, createSharing, type Declare } from '../emit/constants.js'
import type { Api, Content, NamedSchema, Operation, Parameter } from '../ir/api.js'
import { printSchema, type ExpressionContext } from './zod/expression.js'
import { words, z } from './zod/modules.js'
import { isPlainObject, printOpenObject } from './zod/object.js'
import { listReadable } from '../emit/content.js'
import type { Schema } from '../ir/schema.js'

const runtime = [
  'zod/absent.ts',
  'zod/checks.ts',
  'zod/deferred.ts',
  'zod/stated.ts',
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
   * Annotates the type of each validator, as `isolatedDeclarations` requires: an object of zod, or a
   * `ZodType` of the schema's type without the methods of other kinds. Default: false.
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
      sourceFile('schemas.ts', printSchemaValidators(api, mode, declared)),
      sourceFile('operations.ts', printOperationValidators(api, mode, declared)),
      sourceFile('index.ts', [code`export * from './schemas.js'`]),
    ],
  }
}

/** The output in this repository. */
export const zod: Emitter = zodWith()

type Mode = Pick<ExpressionContext, 'annotate' | 'methods'>

function printSchemaValidators(api: Api, mode: Mode, declared: boolean): Iterable<Code> {
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
      value: printSchema(named.schema, context),
      declare: (value) =>
        declareSchema(api, { ...named, cyclic: named.cyclic || declared }, declare, value),
    })),
    // a bundle with one validator contains every constant that the validator uses
    { declare, words, worth: 1000 },
  )
}

const stated = namespace('stated', './stated.js', { typeOnly: true })

/** A recursive schema declares its type, as TypeScript cannot infer it. */
function declareSchema(
  api: Api,
  { name, schema, cyclic, origin }: NamedSchema,
  declare: Declare,
  validator: Code,
): Code {
  const comment = docComment([schema.notes.description, describeOrigin(api, origin)])
  const type = printStatedType(name, schema)
  const declared = cyclic
    ? declare(name, code`${validator} as unknown as ${type}`, type)
    : declare(name, validator)
  return code`${comment}export ${declared}\nexport type ${name} = ${types}.${name}`
}

/** An object of zod has the methods of one. */
function printStatedType(name: string, schema: Schema): Code {
  if (schema.kind !== 'object' || !isPlainObject(schema))
    return code`${z}.ZodType<${types}.${name}, ${types}.${name}>`
  const kind = schema.additional.kind === 'never' ? 'StrictObject' : 'LooseObject'
  return code`${stated}.${kind}<${types}.${name}>`
}

const schemas = namespace('schemas', './schemas.js')

/** Prints the validators of each operation's parts. Keys are wire names, header names in lower case. */
export function printOperationValidators(
  api: Api,
  formats: Pick<ExpressionContext, 'annotate' | 'methods'> = {},
  declared = false,
): readonly Code[] {
  const { mark, statements } = createSharing()
  const context: ExpressionContext = {
    ...formats,
    mark,
    named: (name) => code`${schemas}.${name}`,
    lookup: createLookup(api),
    isInferred: createInference(api, declared),
  }
  const write: Writer = { expression: oncePer((schema) => printSchema(schema, context)), mark }
  const declare = createDeclare([...api.operations.map(({ id }) => id), 'validators'])
  const validatorType = (operation: Operation): Code | undefined =>
    declared ? printValidatorsType(api, operation) : undefined
  const every = block(
    api.operations.map(({ id }) => code`${id}`),
    '{}',
  )
  return [
    ...statements(
      api.operations.map((operation) => ({
        name: operation.id,
        value: printValidators(api, operation, write),
        declare: (value) =>
          declareOperation(api, operation, declare, value, validatorType(operation)),
      })),
      { declare, words, taken: ['validators'] },
    ),
    code`/** The validators of every operation, by its id. Importing one by its name costs less. */\nexport ${declare('validators', every, declared ? printEveryType(api) : undefined)}`,
  ]
}

/** Creates a test of whether the type of a schema is inferred: a recursive schema states its type. */
function createInference({ schemas: all }: Api, declared: boolean): (name: string) => boolean {
  const names = new Set(all.filter(({ cyclic }) => !cyclic).map(({ name }) => name))
  return (name) => !declared && names.has(name)
}

function printEveryType({ operations }: Api): Code {
  const fields = operations.map(({ id }) => code`  readonly ${id}: typeof ${id}`)
  return code`{\n${join(fields, '\n')}\n}`
}

/** The same fields as the validators have. */
function printValidatorsType(api: Api, { parameters, body, responses }: Operation): Code {
  const one = code`${z}.ZodType`
  const contentsType = (contents: readonly Content[]): Code =>
    code`{ ${join(
      contents.map(({ mediaType }) => code`readonly ${propertyKey(mediaType)}: ${one}`),
      '; ',
    )} }`
  const own = parameters.filter(({ credential }) => !credential)
  const has = (place: Parameter['in']): boolean => own.some((parameter) => parameter.in === place)
  const places = (
    [
      ['path', 'path'],
      ['query', 'query'],
      ['header', 'headers'],
      ['cookie', 'cookies'],
    ] as const
  ).filter(([place]) => has(place))
  const whole = own.filter(({ in: place }) => place === 'querystring')
  const responseFields = listReadable(api, responses).map(
    ({ status, contents }) =>
      code`readonly ${propertyKey(String(status))}: ${contentsType(contents)}`,
  )
  const fields = [
    ...places.map(([, name]) => code`  readonly ${name}: ${one}`),
    ...whole.map(
      ({ mediaType = '' }) =>
        code`  readonly querystring: { readonly ${propertyKey(mediaType)}: ${one} }`,
    ),
    ...(body === undefined || body.contents.length === 0
      ? []
      : [code`  readonly body: ${contentsType(body.contents)}`]),
    code`  readonly responses: ${responseFields.length === 0 ? '{}' : code`{ ${join(responseFields, '; ')} }`}`,
  ]
  return code`{\n${join(fields, '\n')}\n}`
}

type Writer = {
  readonly expression: (schema: Schema) => Code
  readonly mark: (expression: Code) => Code
}

function printValidators(
  api: Api,
  { parameters, body, responses }: Operation,
  write: Writer,
): Code {
  const at = (place: Parameter['in']): readonly Parameter[] =>
    parameters.filter((parameter) => parameter.in === place && !parameter.credential)
  const bodies = body?.contents ?? []
  const responseFields = listReadable(api, responses).map(
    ({ status, contents }) =>
      code`${propertyKey(String(status))}: ${write.mark(printContents(contents, write))}`,
  )
  const parts = [
    ...printPart('path', at('path'), (name) => name, write),
    ...printPart('query', at('query'), (name) => name, write),
    ...at('querystring').map(
      ({ schema, mediaType = '' }) =>
        code`querystring: { ${propertyKey(mediaType)}: ${write.expression(schema)} }`,
    ),
    ...printPart('headers', at('header'), (name) => name.toLowerCase(), write),
    ...printPart('cookies', at('cookie'), (name) => name, write),
    ...(bodies.length > 0 ? [code`body: ${printContents(bodies, write)}`] : []),
    code`responses: ${write.mark(responseFields.length === 0 ? code`{}` : code`{\n  ${join(responseFields, ',\n')},\n}`)}`,
  ]
  return code`{\n  ${join(parts, ',\n')},\n}`
}

function declareOperation(
  api: Api,
  { id, summary, origin }: Operation,
  declare: Declare,
  value: Code,
  type: Code | undefined,
): Code {
  return code`${docComment([summary, describeOrigin(api, origin)])}export ${declare(id, value, type)}`
}

/** Accepts unknown names, because a proxy may add a header, and a link a parameter. */
function printPart(
  name: string,
  parameters: readonly Parameter[],
  key: (name: string) => string,
  write: Writer,
): readonly Code[] {
  if (parameters.length === 0) return []
  const fields = parameters.map((parameter) => ({
    name: key(parameter.name),
    required: parameter.required,
    value: write.expression(parameter.schema),
  }))
  return [code`${name}: ${write.mark(printOpenObject(fields, write.mark))}`]
}

function printContents(contents: readonly Content[], write: Writer): Code {
  const entries = contents.map(
    (content) => code`${propertyKey(content.mediaType)}: ${write.expression(content.schema)}`,
  )
  return code`{ ${join(entries, ', ')} }`
}
