import { block, code, join, sourceFile, type Code } from '../emit/code.js'
import {
  createSharing,
  exportConstants,
  nameParameter,
  nameParameters,
  nameResponse,
  nameResponses,
  type Sharing,
} from '../emit/constants.js'
import type { Emitter } from '../emit/emitter.js'
import { docComment, literal, describeOrigin, propertyKey } from '../emit/literal.js'
import { oncePer } from '../emit/schemas.js'
import {
  listExtensionFacts,
  oncePerParameter,
  listOperationFacts,
} from '../emit/operation-facts.js'
import { hasStreams } from '../emit/content.js'
import type { Api, Operation, Parameter, Response } from '../ir/api.js'
import { camelCase, toSchemaName, uniqueNames } from '../ir/names.js'
import type { Json } from '../ir/schema.js'
import {
  toBodyFacts,
  collectInputDefaults,
  toParameterFacts,
  toResponseFacts,
} from './table/facts.js'

/** A table of facts about each operation, for a program that decides by them. */
export const table: Emitter = {
  name: 'table',
  into: 'packages/types/src/table/generated',
  optional: true,
  emit: (api) => [sourceFile('index.ts', printOperationTable(api))],
}

/**
 * The operation table: one const for each operation, so that a bundler keeps only those in use.
 */
export function printOperationTable(api: Api): readonly Code[] {
  const ids = api.operations.map(({ id }) => id)
  const { mark, statements } = createSharing()
  const { declare, rest } = exportConstants([...ids, 'operations'])
  const write: Writer = {
    mark,
    parameter: oncePerParameter(api, (parameter) =>
      mark(literal(toParameterFacts(api, parameter)), undefined, nameParameter(parameter)),
    ),
    response: oncePer((contents) =>
      mark(literal(toResponseFacts(api, contents)), undefined, nameResponse(api, contents)),
    ),
  }
  const entries = api.operations.map((operation) => {
    const { id, summary, origin } = operation
    const comment = docComment([summary, describeOrigin(api, origin)])
    return {
      name: id,
      value: code`${printObject(listFacts(api, operation, write))} as const`,
      declare: (value: Code) => declare({ name: id, value, comment }),
    }
  })
  const every = code`{\n${join(
    ids.map((id) => `  ${id},`),
    '\n',
  )}\n} as const`
  return [
    ...statements(entries, {
      declare: (name, value) => code`const ${name} = ${value} as const`,
      taken: ['operations'],
    }),
    declare({
      name: 'operations',
      value: every,
      comment: code`/** Every operation by its id. */\n`,
    }),
    ...rest(),
    code`export type OperationId = keyof typeof operations`,
    ...printDocumentTables(api, new Set(ids)),
    printTypes(api),
  ]
}

type Writer = {
  readonly mark: Sharing['mark']
  readonly parameter: (parameter: Parameter) => Code
  readonly response: (contents: Response['contents']) => Code
}

function listFacts(
  api: Api,
  operation: Operation,
  write: Writer,
): readonly (readonly [string, Json | Code | undefined])[] {
  const { parameters, body, responses } = operation
  const { mark } = write
  const facts = responses.map(
    ({ status, contents }) => [String(status), write.response(contents)] as const,
  )
  return [
    ...listOperationFacts(operation).map(
      ([name, value]) => [name, typeof value === 'object' ? mark(literal(value)) : value] as const,
    ),
    ['defaults', mark(literal(collectInputDefaults(api, operation)))],
    [
      'parameters',
      mark(block(parameters.map(write.parameter), '[]'), undefined, nameParameters(parameters)),
    ],
    ['body', body && mark(literal(toBodyFacts(api, body)))],
    ['responses', mark(printObject(facts), undefined, nameResponses(api, responses))],
  ]
}

function printObject(facts: readonly (readonly [string, Json | Code | undefined])[]): Code {
  const properties = facts.flatMap(([name, value]) =>
    value === undefined
      ? []
      : [code`${propertyKey(name)}: ${isCode(value) ? value : literal(value)}`],
  )
  return block(properties, '{}')
}

function isCode(value: Json | Code): value is Code {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && 'imports' in value
}

function printDocumentTables(api: Api, takenNames: ReadonlySet<string>): readonly Code[] {
  const unique = uniqueNames([...takenNames, 'operations'])
  return Object.entries(api.extensions).flatMap(([name, value]) => {
    if (hasReference(value)) return []
    const wish = camelCase(name.slice(2))
    const isFree = !takenNames.has(wish) && wish !== 'operations' && toSchemaName(wish) === wish
    const constant = unique(isFree ? wish : `${wish}Table`)
    const comment = docComment([`\`${name}\` of the document.`])
    // null is a type of its own already
    const suffix = value === null ? '' : ' as const'
    return [code`${comment}export const ${constant} = ${literal(value)}${suffix}`]
  })
}

/**
 * Whether the extension refers to other places of the document, as `x-webhooks` does. Such
 * extensions are not copied into the table.
 */
function hasReference(value: Json): boolean {
  if (value === null || typeof value !== 'object') return false
  return '$ref' in value || Object.values(value).some(hasReference)
}

/** The types of the `x-` facts, from their values in this document. */
function printFactTypes({ operations }: Api): string {
  const values = new Map<string, Set<string>>()
  for (const [name, value] of operations.flatMap(listExtensionFacts)) {
    if (value !== undefined)
      values.set(name, (values.get(name) ?? new Set()).add(printFactType(value)))
  }
  return [...values]
    .map(
      ([name, types]) =>
        `  readonly ${propertyKey(name).text}?: ${types.size > maxNames ? 'unknown' : [...types].join(' | ')}\n`,
    )
    .join('')
}

/** A type with more alternatives does not help a reader. */
const maxNames = 20

function printFactType(value: Json): string {
  if (typeof value === 'string') return literal(value).text
  if (typeof value !== 'object' || value === null)
    return value === null || value === true ? String(value) : typeof value
  const members = new Set(
    Object.values(value).map((item) => (item === null ? 'null' : typeof item)),
  )
  return `Readonly<Record<string, ${[...members].join(' | ') || 'never'}>>`
}

/** Whether a parameter has a place or a style that only OpenAPI 3.2 knows. */
function hasParameter({ operations }: Api, fact: 'querystring' | 'cookie'): boolean {
  return operations.some(({ parameters }) =>
    parameters.some((one) => (fact === 'cookie' ? one.style : one.in) === fact),
  )
}

const printTypes = (
  api: Api,
  stream = hasStreams(api)
    ? { kind: " | 'stream'", comment: ' `stream`: item by item.' }
    : { kind: '', comment: '' },
) => code`/** The facts of an operation, without the document. Facts of the document's \`x-\` fields stand beside these, in camelCase. */
export type Operation = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly tags: readonly string[]
  /** Any one of these sets of schemes admits the caller; an empty set admits anybody. */
  readonly security: readonly (readonly string[])[]
  /** A second send of the same call does no harm beyond the first. */
  readonly idempotent: boolean
  readonly deprecated?: boolean
${printFactTypes(api)}  /** Defaults of the flat input's fields. */
  readonly defaults: Readonly<Record<string, unknown>>
  readonly parameters: readonly Parameter[]
  readonly body?: Body
  /** By status, range (\`4XX\`) or \`default\`. */
  readonly responses: Readonly<Record<string, ResponseFacts>>
}

export type ResponseFacts = {
  readonly contentTypes: readonly string[]
  /** \`binary\`: the Response itself. \`mixed\`: several of these.${stream.comment} */
  readonly kind: 'json' | 'text' | 'binary'${stream.kind} | 'mixed' | 'empty'
  /** Where it is mixed, the kind of each media type. */
  readonly kinds?: readonly ('json' | 'text' | 'binary'${stream.kind})[]
}

export type Parameter = {
  /** As it goes over the wire. */
  readonly name: string
  /** The field of the flat input. */
  readonly field: string
  readonly in: 'path' | 'query'${hasParameter(api, 'querystring') && " | 'querystring'"} | 'header' | 'cookie'
  readonly required: boolean
  readonly style: 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'simple' | 'label' | 'matrix'${hasParameter(api, 'cookie') && " | 'cookie'"}
  readonly explode: boolean
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object'
  readonly allowReserved?: boolean
  readonly mediaType?: string
  /** Set by a security scheme: middleware fills it in. */
  readonly credential?: boolean
}

export type Body = {
  readonly required: boolean
  /** The one that a client sends. */
  readonly contentType: string
  readonly contentTypes: readonly string[]
  /**
   * \`fields\`: its properties are fields of the flat input. \`body\`: the flat input has it whole,
   * as \`body\`.
   */
  readonly flatten: 'fields' | 'body'
  readonly fields?: readonly string[]
  /** The fields that take a file; \`body\` when the whole body does. */
  readonly files?: readonly string[]
  /** Those of them that take other values too. */
  readonly alsoValues?: readonly string[]
  readonly encoding?: Readonly<Record<string, { readonly contentType?: string; readonly style?: string; readonly explode?: boolean; readonly allowReserved?: boolean }>>
}`
