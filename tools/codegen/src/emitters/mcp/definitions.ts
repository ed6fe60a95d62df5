import { contentKind } from '../../emit/content.js'
import { collectDefinitions, toJsonSchema, type JsonSchema } from '../../emit/json-schema.js'
import { oncePer, resolveRef } from '../../emit/schemas.js'
import type { Api, Operation, Response } from '../../ir/api.js'
import { uniqueNames } from '../../ir/names.js'
import type { Json, Schema } from '../../ir/schema.js'
import {
  boundSchema,
  inputLimit,
  isSchema,
  outputLimit,
  shortenText,
  type SchemaData,
} from './bound-schema.js'
import { listFileFields, toInputSchema } from './input-schema.js'

/** The tools of a document, with what they leave out. */
export type ToolDefinitions = {
  readonly tools: readonly { readonly operation: Operation; readonly tool: ToolFacts }[]
  /** The names in the document by those in inputs, of properties that have two. */
  readonly fields: Readonly<Record<string, string>>
  /** By tool, the fields of its input that are files. */
  readonly files: Readonly<Record<string, readonly string[]>>
  /** The tools whose output is wrapped in `result`. */
  readonly wrapped: readonly string[]
  readonly schemas: {
    readonly $defs: JsonSchema
    readonly inputs: JsonSchema
    readonly outputs: JsonSchema
  }
  /** The name of the tool that returns schemas. */
  readonly describe: string
}

type ToolFacts = { readonly [name: string]: Json } & { readonly name: string }

/** The most characters of a description of a tool. */
const descriptionLimit = 1024

export function createToolDefinitions(api: Api): ToolDefinitions {
  const { operations } = api
  const names = assignHostNames(operations.map(({ id }) => id))
  const describe = names.has('describe') ? 'describe_schema' : 'describe'
  const properties = new Set<string>()
  const collect = (name: string): string => {
    properties.add(name)
    return name
  }
  for (const operation of operations) toInputSchema(api, operation, collect)
  const renamed = assignHostNames(properties)
  const rename = (name: string): string => renamed.get(name) ?? name
  const left = createSchemaCollector(describe)
  const wrapped: string[] = []
  const tools = operations.map((operation) => {
    const { id, summary, description } = operation
    const name = names.get(id) ?? id
    const output = toOutputSchema(api, operation)
    if (wrapsOutput(api, operation)) wrapped.push(name)
    const tool: ToolFacts = {
      name,
      ...(summary === undefined ? {} : { title: summary }),
      ...(description === undefined
        ? {}
        : { description: shortenText(description, descriptionLimit) }),
      inputSchema: left.bound('inputs', name, toInputSchema(api, operation, rename), inputLimit),
      ...(output && { outputSchema: left.bound('outputs', name, output, outputLimit) }),
      annotations: createAnnotations(operation),
    }
    return { operation, tool }
  })
  const fields = [...renamed].flatMap(([from, to]) => (from === to ? [] : [[to, from] as const]))
  const files = tools.flatMap(({ operation, tool: { name } }) => {
    const own = listFileFields(api, operation).map(rename)
    return own.length === 0 ? [] : [[name, own] as const]
  })
  return {
    tools,
    fields: Object.fromEntries(fields),
    files: Object.fromEntries(files),
    wrapped,
    schemas: left.schemas(),
    describe,
  }
}

/** Collects the schemas of which definitions have only a part. */
function createSchemaCollector(tool: string) {
  const $defs = new Map<string, Json>()
  const inputs = new Map<string, Json>()
  const outputs = new Map<string, Json>()
  return {
    bound: (
      kind: 'inputs' | 'outputs',
      name: string,
      whole: JsonSchema,
      limit: number,
    ): JsonSchema => {
      const { $defs: definitions, $schema = '', ...schema } = whole
      const known: SchemaData = isSchema(definitions) ? definitions : {}
      const bound = { limit: limit - 70, tool, pointer: `/${kind}/${name}` }
      const { isWhole, schema: bounded } = boundSchema(schema, known, bound)
      if (isWhole) return whole
      const kept = kind === 'inputs' ? inputs : outputs
      kept.set(name, schema)
      // only definitions of inputs have renamed properties
      for (const [key, value] of Object.entries(known))
        if (kind === 'inputs' || !$defs.has(key)) $defs.set(key, value as Json)
      return { $schema, properties: {}, ...(bounded as JsonSchema) }
    },
    schemas: (): ToolDefinitions['schemas'] => ({
      $defs: Object.fromEntries($defs),
      inputs: Object.fromEntries(inputs),
      outputs: Object.fromEntries(outputs),
    }),
  }
}

function createAnnotations({ method, idempotent }: Operation): Json {
  return {
    readOnlyHint: ['get', 'head', 'options', 'trace', 'query'].includes(method),
    idempotentHint: idempotent,
    destructiveHint: ['put', 'patch', 'delete'].includes(method),
  }
}

/** What every host accepts as the name of a tool or of a property of its input. */
const accepted = /^[a-zA-Z0-9_-]{1,64}$/

/**
 * Gives each name one that every host of the Model Context Protocol accepts, unique among all of
 * them. Accepted names stay; `page[limit]` becomes page_limit, and a long name ends in its hash.
 */
export function assignHostNames(names: Iterable<string>): ReadonlyMap<string, string> {
  const all = new Set(names)
  const unique = uniqueNames([...all].filter((name) => accepted.test(name)))
  return new Map(
    [...all].map((name) => [name, accepted.test(name) ? name : unique(toAcceptedName(name))]),
  )
}

function toAcceptedName(name: string): string {
  const words =
    name
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .match(/[a-zA-Z0-9_-]+/g) ?? []
  const plain = words.join('_')
  const isReadable = plain.length >= Math.max(1, name.length / 2)
  const short = isReadable && plain.length <= 60
  return short ? plain : `${plain.slice(0, 50)}${plain === '' ? 'field' : ''}_${hash(name)}`
}

/** FNV-1a of 32 bits: a shortened name does not depend on the other names. */
function hash(name: string): string {
  let sum = 0x811c9dc5
  for (let index = 0; index < name.length; index++)
    sum = Math.imul(sum ^ name.charCodeAt(index), 0x01000193)
  return (sum >>> 0).toString(16).padStart(8, '0')
}

/** The schema of a success, if every success is JSON. */
export function toOutputSchema(api: Api, operation: Operation): JsonSchema | undefined {
  const schemas = listSuccessSchemas(api, operation)
  if (schemas.length === 0) return undefined
  const definitions = collectDefinitions(api, schemas)
  const printed = schemas.map((schema) => toJsonSchema(schema))
  const value: JsonSchema = printed.length === 1 ? (printed[0] ?? {}) : { anyOf: printed }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...(wrapsOutput(api, operation)
      ? { type: 'object', properties: { result: value }, required: ['result'] }
      : { ...value, type: 'object' }),
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  }
}

/** Whether the output is wrapped in `result`, since the protocol requires an object. */
function wrapsOutput(api: Api, operation: Operation): boolean {
  return !listSuccessSchemas(api, operation).every(createObjectTest(api))
}

/** The schemas of all successes; empty if one of them is not JSON. */
function listSuccessSchemas(api: Api, { responses }: Operation): readonly Schema[] {
  const contents = responses.filter(isSuccess).map((response) => response.contents)
  return contents.some((all) => all.length === 0) ||
    contents.flat().some((one) => contentKind(one, api) !== 'json')
    ? []
    : contents.flat().map(({ schema }) => schema)
}

function isSuccess({ status }: Response): boolean {
  return status === '2XX' || (typeof status === 'number' && status >= 200 && status < 300)
}

/** Whether a schema accepts only objects. Visits shared options once. */
const createObjectTest = oncePer((api: Api) => {
  const isObject = oncePer((schema: Schema): boolean => {
    const target = resolveRef(api, schema)
    if (target !== schema) return isObject(target)
    if (target.kind === 'union' || target.kind === 'oneOf')
      return target.options.length > 0 && target.options.every(isObject)
    if (target.kind === 'intersection') return target.parts.some(isObject)
    return target.kind === 'object' || (target.kind === 'unevaluated' && isObject(target.base))
  })
  return isObject
}, new WeakMap())
