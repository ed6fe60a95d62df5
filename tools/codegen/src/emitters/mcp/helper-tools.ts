import type { Json } from '../../ir/schema.js'

const readOnly = { readOnlyHint: true, idempotentHint: true, destructiveHint: false }

/** The tool that returns what definitions leave out. */
export function describeTool(name: string): Json {
  return {
    name,
    title: 'Describe a schema',
    description:
      'Returns the JSON Schema at a pointer that the definition of another tool names, such as "/$defs/Name", or the definition of a tool by its name.',
    inputSchema: inputSchema({ name: text('A pointer or the name of a tool.') }, ['name']),
    annotations: readOnly,
  }
}

/** Three tools in place of one for each operation. */
export const searchTools: Json = [
  {
    name: 'find',
    title: 'Find operations',
    description:
      'Finds operations of the API by words, such as "list issues". Returns the name, the title and the route of those that fit best.',
    inputSchema: inputSchema({ query: text('Words in the name, title or route.') }, ['query']),
    annotations: readOnly,
  },
  {
    name: 'describe',
    title: 'Describe an operation',
    description:
      'Returns the definition of an operation with the JSON Schema of its input. For a pointer that a definition names, such as "/$defs/Name", returns that schema.',
    inputSchema: inputSchema({ name: text('The name of an operation, or a pointer.') }, ['name']),
    annotations: readOnly,
  },
  {
    name: 'call',
    title: 'Call an operation',
    description: 'Calls an operation. Describe it first: its input must fit its schema.',
    inputSchema: inputSchema(
      {
        name: text('The name of the operation.'),
        input: { description: 'The input of the operation.', type: 'object', properties: {} },
      },
      ['name'],
    ),
    annotations: { readOnlyHint: false, idempotentHint: false, destructiveHint: true },
  },
]

function text(description: string): Json {
  return { description, type: 'string' }
}

function inputSchema(properties: Json, required: readonly string[]): Json {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  }
}
