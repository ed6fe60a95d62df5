import type { Tool } from '@farebox/mcp'
import { describe, expect, it } from 'vitest'
import { selectTools } from './offered.js'

type Node = Readonly<Record<string, unknown>>

const names = ['topUp', 'createApiKey']
const tools: readonly Tool[] = [
  ...selectTools({ readOnly: false, hasFolder: true, canCall: () => true }),
  ...selectTools({ readOnly: false, hasFolder: false, canCall: () => true, only: names }),
]

/** Every schema within a schema, itself included. */
function* listSchemas(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* listSchemas(item)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  yield value as Node
  for (const [keyword, member] of Object.entries(value)) {
    if (['properties', '$defs'].includes(keyword))
      for (const one of Object.values(member as Node)) yield* listSchemas(one)
    else if (!['enum', 'const', 'default', 'examples', 'required'].includes(keyword))
      yield* listSchemas(member)
  }
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/**
 * What the hosts publish about the tools that they take: the Messages API of Anthropic, function
 * calling of OpenAI and of Gemini, VS Code. One tool that breaks a rule makes a host reject all.
 */
describe.each(tools.map((tool) => ({ name: tool.name, tool })))(
  '$name',
  ({ tool: { name, description, inputSchema } }) => {
    const schemas = [...listSchemas(inputSchema)]

    it('has a name and a description that every host takes', () => {
      expect(name).toMatch(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/)
      expect(description?.length).toBeGreaterThan(10)
      expect(description?.length).toBeLessThanOrEqual(1024)
    })

    it('takes one object whose fields have plain names', () => {
      expect(inputSchema).toMatchObject({ type: 'object', properties: {} })
      expect(
        Object.keys(inputSchema).filter((keyword) =>
          /^(?:allOf|anyOf|oneOf|not|if|enum|const|\$ref)$/.test(keyword),
        ),
      ).toEqual([])
      const fields = schemas.flatMap(({ properties }) =>
        isNode(properties) ? Object.keys(properties) : [],
      )
      expect(fields.filter((field) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(field))).toEqual([])
    })

    it('says what every array holds and of what type every list of values is', () => {
      expect(
        schemas.filter(
          ({ type, items, prefixItems }) =>
            type === 'array' && items === undefined && prefixItems === undefined,
        ),
      ).toEqual([])
      expect(
        schemas.filter(({ type, enum: values }) => values !== undefined && type === undefined),
      ).toEqual([])
    })

    it('refers to its own definitions alone, and to none that holds itself', () => {
      const definitions = (isNode(inputSchema['$defs']) ? inputSchema['$defs'] : {}) as Readonly<
        Record<string, Node>
      >
      const targets = (node: Node) =>
        [...listSchemas(node)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []))
      const toName = (ref: string) => ref.replace('#/$defs/', '')
      expect(targets(inputSchema).filter((ref) => definitions[toName(ref)] === undefined)).toEqual(
        [],
      )
      const reaches = (from: string, seen: readonly string[]): boolean =>
        seen.includes(from) ||
        targets(definitions[from] ?? {}).some((ref) => reaches(toName(ref), [...seen, from]))
      expect(Object.keys(definitions).filter((definition) => reaches(definition, []))).toEqual([])
    })
  },
)

it('are few enough, and small enough for a conversation', () => {
  expect(tools.length).toBeLessThanOrEqual(40)
  expect(
    JSON.stringify(selectTools({ readOnly: false, hasFolder: true, canCall: () => true })).length,
  ).toBeLessThan(48_000)
})
