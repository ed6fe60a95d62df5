/**
 * Documents whose schemas refer to each other in every combination, so that code that tries every
 * path never ends.
 */

type Node = { readonly [key: string]: unknown }

const createRef = (index: number): Node => ({ $ref: `#/components/schemas/S${index}` })
const listIndexes = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index)

/** What each of `count` schemas is, given those that it refers to. */
type Knot = (others: readonly Node[], index: number) => Node

const createProperties = (others: readonly Node[]): Node =>
  Object.fromEntries(others.map((other, index) => [`p${index}`, other]))

/** Each schema refers to all others from within its values. */
const circles: Readonly<Record<string, Knot>> = {
  objects: (others) => ({ type: 'object', properties: createProperties(others) }),
  'objects with a mark': (others) => ({
    type: 'object',
    properties: { ...createProperties(others), id: { type: 'string', readOnly: true } },
  }),
  'objects with a file': (others, index) => ({
    type: 'object',
    properties: {
      ...createProperties(others),
      ...(index === 0 ? { file: { $ref: '#/components/schemas/File' } } : {}),
    },
  }),
  lists: (others) => ({ type: 'array', items: { anyOf: others } }),
  unions: (others) => ({
    anyOf: [{ type: 'string' }, { type: 'array', items: { anyOf: others } }],
  }),
  choices: (others, index) => ({
    type: 'object',
    required: ['kind'],
    properties: {
      kind: { const: `k${index}` },
      next: { oneOf: others, discriminator: { propertyName: 'kind' } },
    },
  }),
}

/** Each schema is made of all that come after it: of the same value, where no circle may be. */
const chains: Readonly<Record<string, Knot>> = {
  'one of the next': (next) =>
    next.length === 0 ? { type: 'object', properties: { a: { type: 'string' } } } : { oneOf: next },
  'any of the next': (next, index) => ({
    anyOf: [{ type: 'object', required: [`r${index}`] }, ...next],
  }),
  'all of the next': (next, index) => ({
    allOf: [
      { type: 'object', properties: { [`a${index}`]: { type: 'string', readOnly: true } } },
      ...next,
    ],
  }),
  'all of the next and no more': (next, index) => ({
    allOf: [{ type: 'object', properties: { [`a${index}`]: { type: 'string' } } }, ...next],
    unevaluatedProperties: false,
  }),
  'texts of the next': (next) => (next.length === 0 ? { type: 'string' } : { anyOf: next }),
}

/** The knots by what they are called, each with the schemas of a document of `count`. */
export const knots: Readonly<Record<string, (count: number) => Node>> = Object.fromEntries([
  ...Object.entries(circles).map(
    ([name, knot]) => [name, (count: number) => createSchemas(count, knot, () => true)] as const,
  ),
  ...Object.entries(chains).map(
    ([name, knot]) =>
      [name, (count: number) => createSchemas(count, knot, (from, to) => to > from)] as const,
  ),
])

function createSchemas(
  count: number,
  knot: Knot,
  refers: (from: number, to: number) => boolean,
): Node {
  return Object.fromEntries(
    listIndexes(count).map((from) => {
      const others = listIndexes(count).filter((to) => to !== from && refers(from, to))
      return [`S${from}`, knot(others.map(createRef), from)]
    }),
  )
}

/**
 * A document whose operations take such schemas in a body, a form and a parameter, and give them.
 */
export function createTangledDocument(
  knot: string,
  count: number,
  changed?: (schemas: Record<string, Node>) => void,
): Node {
  const all = { ...knots[knot]?.(count) } as Record<string, Node>
  changed?.(all)
  const json = { 'application/json': { schema: createRef(0) } }
  const fault = { oneOf: [createRef(0), createRef(1)], discriminator: { propertyName: 'a0' } }
  const form = {
    type: 'object',
    properties: {
      file: { $ref: '#/components/schemas/File' },
      first: createRef(0),
      held: { $ref: '#/components/schemas/Held' },
    },
  }
  const parameter = { name: 'filter', in: 'query', schema: createRef(0) }
  const done = { description: 'Done', content: json }
  return {
    openapi: '3.1.0',
    info: { title: 'A tangle', version: '1' },
    paths: {
      '/first': {
        post: {
          operationId: 'first',
          parameters: [parameter],
          requestBody: { content: json },
          responses: { 200: done },
        },
      },
      '/form': {
        post: {
          operationId: 'form',
          requestBody: { content: { 'multipart/form-data': { schema: form } } },
          responses: {
            200: done,
            default: {
              description: 'Fault',
              content: { 'application/json': { schema: fault, example: { p0: [{ p1: 1 }] } } },
            },
          },
        },
      },
      '/forms': {
        post: {
          operationId: 'whole',
          requestBody: {
            content: {
              'multipart/form-data': {
                schema: { allOf: [{ $ref: '#/components/schemas/Held' }, createRef(0)] },
              },
            },
          },
          responses: { 200: done },
        },
      },
    },
    components: {
      schemas: {
        ...all,
        File: { type: 'string', format: 'binary' },
        Held: {
          type: 'object',
          properties: { file: { $ref: '#/components/schemas/File' }, first: createRef(0) },
        },
      },
    },
  }
}
