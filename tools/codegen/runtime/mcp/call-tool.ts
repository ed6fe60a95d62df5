import { boundSchema, inputLimit, isSchema } from '../../src/emitters/mcp/bound-schema.js'
import { findTools } from './find-tools.js'
import { decodeFiles, restoreFields } from './restore-fields.js'
import type { Send, Tool, Toolbox, ToolResult } from './toolbox.js'

/** Calls a tool of an operation, or the one that describes schemas. */
export async function callOne(
  toolbox: Toolbox,
  describe: string,
  name: string,
  input: unknown,
  send: Send,
): Promise<ToolResult> {
  if (toolbox.tools.some((tool) => tool.name === name)) return call(toolbox, name, input, send)
  return name === describe
    ? describeOne(toolbox, describe, readField(input, 'name'))
    : createFailure(`There is no tool ${JSON.stringify(name)}.`)
}

/** Calls one of the tools `find`, `describe` and `call`. */
export async function callSearch(
  toolbox: Toolbox,
  routes: Readonly<Record<string, string>>,
  name: string,
  input: unknown,
  send: Send,
): Promise<ToolResult> {
  const givenName = readField(input, 'name')
  if (name === 'find')
    return createSuccess(findTools(toolbox.tools, routes, readField(input, 'query')))
  if (name === 'describe') return describeOne(toolbox, 'describe', givenName)
  if (name !== 'call')
    return createFailure(
      `There is no tool ${JSON.stringify(name)}. Expected find, describe or call.`,
    )
  return typeof givenName === 'string' && toolbox.tools.some((tool) => tool.name === givenName)
    ? call(toolbox, givenName, readField(input, 'input'), send)
    : createFailure(
        `There is no operation ${JSON.stringify(givenName)}. The tool find returns their names.`,
      )
}

async function call(
  toolbox: Toolbox,
  name: string,
  input: unknown = {},
  send: Send,
): Promise<ToolResult> {
  if (!isSchema(input))
    return createFailure(`The input of ${name} is ${JSON.stringify(input)}; expected an object.`)
  const operation = Object.hasOwn(toolbox.operations, name) ? toolbox.operations[name] : name
  const tool = toolbox.tools.find((one) => one.name === name)
  let fields: Readonly<Record<string, unknown>>
  try {
    fields = restoreFields(toolbox, name, decodeFiles(toolbox, name, input))
  } catch (error) {
    return createFailure(error instanceof Error ? error.message : String(error))
  }
  const data = await readOutput(await send(operation ?? name, fields))
  return createSuccess(data, tool, toolbox.wrapped.includes(name))
}

/** What JSON can hold of an output: the content of a response, or the items of a stream. */
async function readOutput(data: unknown): Promise<unknown> {
  if (data instanceof Response) {
    if (/^text\/|[/+](json|xml)\b/i.test(data.headers.get('content-type') ?? '')) return data.text()
    const bytes = new Uint8Array(await data.arrayBuffer())
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  }
  if (typeof data !== 'object' || data === null || !(Symbol.asyncIterator in data)) return data
  const items: unknown[] = []
  for await (const item of data as AsyncIterable<unknown>) items.push(item)
  return items
}

/** The definition of a tool, or the schema at a pointer that a definition has named. */
function describeOne({ tools, schemas }: Toolbox, describe: string, name: unknown): ToolResult {
  const tool = tools.find((one) => one.name === name)
  if (tool !== undefined) return createSuccess(tool)
  const schema = typeof name === 'string' ? findSchema(schemas, name) : undefined
  if (typeof name !== 'string' || !isSchema(schema))
    return createFailure(
      `There is nothing called ${JSON.stringify(name)}. Expected the name of an operation or a pointer from its schema, such as "/$defs/Name".`,
    )
  return createSuccess(
    boundSchema(schema, schemas.$defs, { limit: inputLimit, tool: describe, pointer: name }).schema,
  )
}

function findSchema(schemas: Toolbox['schemas'], pointer: string): unknown {
  const [start, ...tokens] = pointer.split('/')
  let value: unknown = start === '' ? schemas : undefined
  for (const token of tokens) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Readonly<Record<string, unknown>>)[key]
        : undefined
  }
  return value
}

function readField(input: unknown, name: string): unknown {
  return isSchema(input) && Object.hasOwn(input, name) ? input[name] : undefined
}

function createSuccess(data: unknown, tool?: Tool, isWrapped = false): ToolResult {
  const json = writeJson(data)
  const content: ToolResult['content'] = [
    { type: 'text', text: typeof data === 'string' ? data : (json ?? '') },
  ]
  if (tool?.outputSchema === undefined) return { content }
  const value: unknown = json === undefined ? undefined : JSON.parse(json)
  return { content, structuredContent: isSchema(value) && !isWrapped ? value : { result: value } }
}

/** JSON, in which a bigint is a number with all its digits. */
function writeJson(data: unknown): string | undefined {
  const mark = '\u0000int64 '
  const text = JSON.stringify(data, (_key, value: unknown) =>
    typeof value === 'bigint' ? `${mark}${value}` : value,
  ) as string | undefined
  return text?.replaceAll(/"\\u0000int64 (-?\d+)"/g, '$1')
}

function createFailure(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
