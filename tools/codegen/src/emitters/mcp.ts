import { code, join, namespace, sourceFile, symbol, type Code } from '../emit/code.js'
import type { Emitter } from '../emit/emitter.js'
import { printData, docComment, literal, describeOrigin, propertyKey } from '../emit/literal.js'
import { sentMethod, type Api } from '../ir/api.js'
import type { Json } from '../ir/schema.js'
import { createToolDefinitions, type ToolDefinitions } from './mcp/definitions.js'

export const toolModes = ['each', 'search'] as const

type McpOptions = {
  /**
   * The tools that a server lists: one for `each` operation, or the three tools `find`, `describe`
   * and `call`, for documents whose list would fill the context of a model. Default: `each`.
   */
  readonly tools?: (typeof toolModes)[number]
}

/** The definition of a tool of the Model Context Protocol for each operation, and their calls. */
export function mcpWith({ tools: mode = 'each' }: McpOptions = {}): Emitter {
  return {
    name: 'mcp',
    into: 'packages/mcp/src/generated',
    optional: true,
    suits: ['@modelcontextprotocol/server', '@modelcontextprotocol/sdk'],
    runtime: [
      'mcp/toolbox.ts',
      'mcp/call-tool.ts',
      'mcp/find-tools.ts',
      'mcp/restore-fields.ts',
      '../src/emitters/mcp/bound-schema.ts',
    ],
    runtimeByNeed: true,
    options: { tools: toolModes },
    configure: (options) => mcpWith(options),
    emit: (api) => {
      const definitions = createToolDefinitions(api)
      return [
        sourceFile('operations.ts', printOperationTools(api, definitions)),
        sourceFile('toolbox-data.ts', printToolboxData(definitions)),
        sourceFile(
          'index.ts',
          mode === 'each' ? printIndex(definitions) : printSearchIndex(definitions),
        ),
      ]
    },
  }
}

/** The output in this repository. */
export const mcp: Emitter = mcpWith()

const tool = symbol('Tool', './toolbox.js', { typeOnly: true })
const send = symbol('Send', './toolbox.js', { typeOnly: true })
const toolResult = symbol('ToolResult', './toolbox.js', { typeOnly: true })

function printOperationTools(api: Api, { tools }: ToolDefinitions): readonly Code[] {
  const definitions = tools.map(({ operation: { id, summary, origin }, tool: facts }) => {
    const comment = docComment([summary, describeOrigin(api, origin)])
    return code`${comment}export const ${id}: ${tool} = ${literal(facts)}`
  })
  return definitions.length === 0 ? [code`export {}`] : definitions
}

/** What a call needs beside the definitions. Tools that need none of it do without. */
function printToolboxData({
  tools,
  fields,
  files,
  wrapped,
  schemas,
}: ToolDefinitions): readonly Code[] {
  const all = namespace('all', './operations.js')
  const renamed = tools.flatMap(({ operation, tool: { name } }) =>
    name === operation.id ? [] : [[name, operation.id] as const],
  )
  const list = tools.map(({ operation }) => code`    ${all}.${operation.id},`)
  const facts = ([name, value]: readonly [string, Json]): Code =>
    code`  ${name}: ${printData(value)},`
  return [
    code`export const toolbox: ${symbol('Toolbox', './toolbox.js', { typeOnly: true })} = {
  tools: [\n${join(list, '\n')}\n  ],
${join(
  [
    facts(['operations', Object.fromEntries(renamed)]),
    facts(['fields', fields]),
    facts(['files', files]),
    facts(['wrapped', wrapped]),
    facts(['schemas', schemas]),
  ],
  '\n',
)}
}`,
  ]
}

const exported = code`export * from './operations.js'
export type { ObjectSchema, Send, Tool, ToolResult } from './toolbox.js'`

function printIndex({ tools, schemas, describe }: ToolDefinitions): readonly Code[] {
  const all = namespace('all', './operations.js')
  const names = tools.map(({ operation: { id } }) => code`  ${all}.${id},`)
  const isWhole = Object.keys({ ...schemas.inputs, ...schemas.outputs }).length === 0
  const list = isWhole ? names : [...names, code`  ${literal(createDescribeTool(describe))},`]
  return [
    exported,
    code`/** Every tool, in the order of the document. */\nexport const tools: readonly ${tool}[] = [\n${join(list, '\n')}\n]`,
    code`/** The response to \`tools/call\`. \`send\` gets the operation and its flat input. */
export function callTool(name: string, input: unknown, send: ${send}): Promise<${toolResult}> {
  return ${symbol('callOne', './call-tool.js')}(${symbol('toolbox', './toolbox-data.js')}, ${literal(describe)}, name, input, send)
}`,
  ]
}

function printSearchIndex({ tools }: ToolDefinitions): readonly Code[] {
  const routes = tools.map(
    ({ operation: { method, path }, tool: { name } }) =>
      code`  ${propertyKey(name)}: ${literal(`${sentMethod(method)} ${path}`)},`,
  )
  return [
    exported,
    code`/** The tools \`find\`, \`describe\` and \`call\`, by which a model reaches every operation. */\nexport const tools: readonly ${tool}[] = ${literal(searchTools)}`,
    code`/** The response to \`tools/call\`. \`send\` gets the operation and its flat input. */
export function callTool(name: string, input: unknown, send: ${send}): Promise<${toolResult}> {
  return ${symbol('callSearch', './call-tool.js')}(${symbol('toolbox', './toolbox-data.js')}, routes, name, input, send)
}`,
    code`const routes: Readonly<Record<string, string>> = {\n${join(routes, '\n')}\n}`,
  ]
}

const readOnly = { readOnlyHint: true, idempotentHint: true, destructiveHint: false }

/** The tool that returns what definitions leave out. */
function createDescribeTool(name: string): Json {
  return {
    name,
    title: 'Describe a schema',
    description:
      'Returns the JSON Schema at a pointer that the definition of another tool names, such as "/$defs/Name", or the definition of a tool by its name.',
    inputSchema: createInputSchema(
      { name: createStringSchema('A pointer or the name of a tool.') },
      ['name'],
    ),
    annotations: readOnly,
  }
}

/** Three tools in place of one for each operation. */
const searchTools: Json = [
  {
    name: 'find',
    title: 'Find operations',
    description:
      'Finds operations of the API by words, such as "list issues". Returns the name, the title and the route of those that fit best.',
    inputSchema: createInputSchema(
      { query: createStringSchema('Words in the name, title or route.') },
      ['query'],
    ),
    annotations: readOnly,
  },
  {
    name: 'describe',
    title: 'Describe an operation',
    description:
      'Returns the definition of an operation with the JSON Schema of its input. For a pointer that a definition names, such as "/$defs/Name", returns that schema.',
    inputSchema: createInputSchema(
      { name: createStringSchema('The name of an operation, or a pointer.') },
      ['name'],
    ),
    annotations: readOnly,
  },
  {
    name: 'call',
    title: 'Call an operation',
    description: 'Calls an operation. Describe it first: its input must fit its schema.',
    inputSchema: createInputSchema(
      {
        name: createStringSchema('The name of the operation.'),
        input: { description: 'The input of the operation.', type: 'object', properties: {} },
      },
      ['name'],
    ),
    annotations: { readOnlyHint: false, idempotentHint: false, destructiveHint: true },
  },
]

function createStringSchema(description: string): Json {
  return { description, type: 'string' }
}

function createInputSchema(properties: Json, required: readonly string[]): Json {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  }
}
