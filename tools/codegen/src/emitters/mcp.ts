import { code, join, namespace, symbol, type Code } from '../emit/code.js'
import type { Emitter } from '../emit/emitter.js'
import { docComment, literal } from '../emit/literal.js'
import { originLine } from '../emit/origin-line.js'
import { sourceFile } from '../emit/source-file.js'
import type { Api, Operation } from '../ir/api.js'
import type { Json } from '../ir/schema.js'
import { inputSchema } from './mcp/input-schema.js'
import { outputSchema } from './mcp/output-schema.js'

/** The definition of a tool of the Model Context Protocol for each operation. */
export const mcp: Emitter = {
  name: 'mcp',
  into: 'packages/mcp/src/generated',
  optional: true,
  suits: ['@modelcontextprotocol/server', '@modelcontextprotocol/sdk'],
  runtime: ['mcp/tool.ts'],
  runtimeByNeed: true,
  emit: (api) => [
    sourceFile('operations.ts', definitions(api)),
    sourceFile('index.ts', index(api)),
  ],
}

const tool = symbol('Tool', './tool.js', { typeOnly: true })

function index({ operations }: Api): readonly Code[] {
  const all = namespace('all', './operations.js')
  const names = operations.map(({ id }) => code`  ${all}.${id},`)
  return [
    code`export * from './operations.js'\nexport type { ObjectSchema, Tool } from './tool.js'`,
    code`/** Every tool, in the order of the document. */\nexport const tools: readonly ${tool}[] = [\n${join(names, '\n')}\n]`,
  ]
}

function definitions(api: Api): readonly Code[] {
  return api.operations.length === 0
    ? [code`export {}`]
    : api.operations.map((operation) => definition(api, operation))
}

function definition(api: Api, operation: Operation): Code {
  const { id, summary, description, origin } = operation
  const output = outputSchema(api, operation)
  const facts: Json = {
    name: toolName(id),
    ...(summary === undefined ? {} : { title: summary }),
    ...(description === undefined ? {} : { description }),
    inputSchema: inputSchema(api, operation),
    ...(output === undefined ? {} : { outputSchema: output }),
    annotations: annotations(operation),
  }
  return code`${docComment([summary, originLine(api, origin)])}export const ${id}: ${tool} = ${literal(facts)}`
}

/**
 * Converts an identifier to a name of the protocol: only ASCII letters, digits, `_`, `-` and `.`,
 * at most 128 of them.
 */
function toolName(id: string): string {
  return id
    .replaceAll(/\W/g, (character) => `u${character.charCodeAt(0).toString(16)}`)
    .slice(0, 128)
}

function annotations({ method, idempotent }: Operation): Json {
  return {
    readOnlyHint: ['get', 'head', 'options', 'trace', 'query'].includes(method),
    idempotentHint: idempotent,
    destructiveHint: ['put', 'patch', 'delete'].includes(method),
  }
}
