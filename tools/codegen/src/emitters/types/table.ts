import { code, join, type Code } from '../../emit/code.js'
import { docComment, literal } from '../../emit/literal.js'
import type { Api, Operation } from '../../ir/api.js'
import { camelCase, schemaName, uniqueNames } from '../../ir/names.js'
import type { Json } from '../../ir/schema.js'
import { bodyFacts, inputDefaults, parameterFacts, responseFacts } from './facts.js'

/** The operation table: one const for each operation, so that a bundler keeps only those that are used. */
export function operationTable(api: Api): readonly Code[] {
  const ids = api.operations.map(({ id }) => id)
  return [
    ...api.operations.map((operation) => entry(api, operation)),
    code`/** Every operation by its id. */\nexport const operations = {\n${join(
      ids.map((id) => `  ${id},`),
      '\n',
    )}\n} as const satisfies Readonly<Record<string, Operation>>`,
    code`export type OperationId = keyof typeof operations`,
    ...documentTables(api, new Set(ids)),
    shape,
  ]
}

function entry(api: Api, operation: Operation): Code {
  const { id, summary, method, path, tags, security, idempotent, deprecated, origin } = operation
  const facts: [string, Json | undefined][] = [
    ['id', id],
    ['method', method.toUpperCase()],
    ['path', path],
    ['tags', tags],
    ['security', security],
    ['idempotent', idempotent],
    ['deprecated', deprecated ? true : undefined],
    ...extensionFacts(operation),
    ['defaults', inputDefaults(api, operation)],
    ['parameters', operation.parameters.map((parameter) => parameterFacts(api, parameter))],
    ['body', operation.body && bodyFacts(api, operation.body)],
    ['responses', Object.fromEntries(operation.responses.map((response) => [String(response.status), responseFacts(api, response)]))],
  ]
  const comment = docComment([summary, `@see ${origin.file}`])
  return code`${comment}export const ${id} = ${object(facts)} as const`
}

function object(facts: readonly (readonly [string, Json | undefined])[]): Code {
  const lines = facts.flatMap(([name, value]) => (value === undefined ? [] : [code`  ${name}: ${literal(value)},`]))
  return code`{\n${join(lines, '\n')}\n}`
}

/** The `x-` fields of an operation, by names that no other fact has. */
function extensionFacts({ extensions }: Operation): readonly [string, Json | undefined][] {
  const unique = uniqueNames(ownFacts)
  return Object.entries(extensions)
    .filter(([name]) => name !== 'x-idempotent')
    .map(([name, value]) => [unique(camelCase(name.slice(2))), factOf(value)])
}

const ownFacts = 'id method path tags security idempotent deprecated defaults parameters body responses'.split(' ')

/**
 * A flag, a figure, a name, or a flat record of such: what a program may decide by. Of a sentence only stays that it is there; samples
 * and prose stay in the document.
 */
function factOf(value: Json): Json | undefined {
  if (typeof value === 'string') return value.length > 80 || /\s.*\.$/s.test(value) ? true : value
  if (value === null || typeof value !== 'object') return value
  return !Array.isArray(value) && Object.values(value).every((item) => typeof item !== 'object') ? value : undefined
}

function documentTables(api: Api, taken: ReadonlySet<string>): readonly Code[] {
  const unique = uniqueNames([...taken, 'operations'])
  return Object.entries(api.extensions).map(([name, value]) => {
    const wish = camelCase(name.slice(2))
    const isFree = !taken.has(wish) && wish !== 'operations' && schemaName(wish) === wish
    return code`${docComment([`\`${name}\` of the document.`])}export const ${unique(isFree ? wish : `${wish}Table`)} = ${literal(value)} as const`
  })
}

const shape = code`/** What is known of an operation without reading the document. Facts of the document's \`x-\` fields stand beside these, in camelCase. */
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
  /** The class of limits that the operation counts against. */
  readonly rateLimit?: string
  /** Defaults of the flat input's fields. */
  readonly defaults: Readonly<Record<string, unknown>>
  readonly parameters: readonly Parameter[]
  readonly body?: Body
  /** By status, range (\`4XX\`) or \`default\`. */
  readonly responses: Readonly<Record<string, Answer>>
}

export type Answer = {
  readonly contentTypes: readonly string[]
  /** \`binary\`: the Response itself. \`mixed\`: several of these. */
  readonly kind: 'json' | 'text' | 'binary' | 'mixed' | 'empty'
  /** Where it is mixed, the kind of each media type. */
  readonly kinds?: readonly ('json' | 'text' | 'binary')[]
}

export type Parameter = {
  /** As it goes over the wire. */
  readonly name: string
  /** The field of the flat input. */
  readonly field: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  readonly style: 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'simple' | 'label' | 'matrix'
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
  /** \`fields\`: its properties are fields of the flat input. \`body\`: the flat input has it whole, as \`body\`. */
  readonly flatten: 'fields' | 'body'
  readonly fields?: readonly string[]
  /** The fields that take a file; \`body\` when the whole body does. */
  readonly files?: readonly string[]
  readonly encoding?: Readonly<Record<string, { readonly contentType?: string; readonly style?: string; readonly explode?: boolean; readonly allowReserved?: boolean }>>
}`
