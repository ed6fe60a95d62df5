import type { JsonSchema } from '../../emit/json-schema.js'
import type { Api, Operation } from '../../ir/api.js'
import type { Json } from '../../ir/schema.js'
import {
  boundSchema,
  inputLimit,
  isSchema,
  outputLimit,
  shortenText,
  type SchemaData,
} from './bound-schema.js'
import { hostNames } from './host-names.js'
import { inputSchema } from './input-schema.js'
import { outputSchema, wrapsOutput } from './output-schema.js'

/** The tools of a document, with what they leave out. */
export type ToolDefinitions = {
  readonly tools: readonly { readonly operation: Operation; readonly tool: ToolFacts }[]
  /** The names in the document by those in inputs, of properties that have two. */
  readonly fields: Readonly<Record<string, string>>
  /** The tools whose output stands under `result`. */
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

export function toolDefinitions(api: Api): ToolDefinitions {
  const { operations } = api
  const names = hostNames(operations.map(({ id }) => id))
  const describe = names.has('describe') ? 'describe_schema' : 'describe'
  const properties = new Set<string>()
  const collect = (name: string): string => {
    properties.add(name)
    return name
  }
  for (const operation of operations) inputSchema(api, operation, collect)
  const renamed = hostNames(properties)
  const rename = (name: string): string => renamed.get(name) ?? name
  const left = leftovers(describe)
  const wrapped: string[] = []
  const tools = operations.map((operation) => {
    const { id, summary, description } = operation
    const name = names.get(id) ?? id
    const output = outputSchema(api, operation)
    if (wrapsOutput(api, operation)) wrapped.push(name)
    const tool: ToolFacts = {
      name,
      ...(summary === undefined ? {} : { title: summary }),
      ...(description === undefined
        ? {}
        : { description: shortenText(description, descriptionLimit) }),
      inputSchema: left.bound('inputs', name, inputSchema(api, operation, rename), inputLimit),
      ...(output && { outputSchema: left.bound('outputs', name, output, outputLimit) }),
      annotations: annotations(operation),
    }
    return { operation, tool }
  })
  const fields = [...renamed].flatMap(([from, to]) => (from === to ? [] : [[to, from] as const]))
  return { tools, fields: Object.fromEntries(fields), wrapped, schemas: left.schemas(), describe }
}

/** Collects the schemas of which definitions have only a part. */
function leftovers(tool: string) {
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

function annotations({ method, idempotent }: Operation): Json {
  return {
    readOnlyHint: ['get', 'head', 'options', 'trace', 'query'].includes(method),
    idempotentHint: idempotent,
    destructiveHint: ['put', 'patch', 'delete'].includes(method),
  }
}
