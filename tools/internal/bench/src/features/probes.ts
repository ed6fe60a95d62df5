import { tokenUrl, type Other } from './peers.js'

/** What a client is called with, by the places of the document. */
export type Input = {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly cookie?: Readonly<Record<string, string>>
  /** A parameter called `q` that is the whole query. */
  readonly querystring?: object
  readonly body?: unknown
}

/**
 * The observation of a call. A value that JSON does not have is its kind and its text:
 * `bigint 7`, `Date 2030-01-31T08:30:00.000Z`.
 */
export type CallObservation = {
  readonly requests: readonly {
    readonly url: string
    readonly method: string
    readonly cookie: string
    readonly authorization: string
    readonly body: string
  }[]
  readonly result: unknown
  /** The first item that the result has, while the response has not ended. */
  readonly item?: unknown
}

/** A feature, shown by the call of the operation `probe` or by a program that uses the types. */
export type Probe = {
  readonly feature: string
  readonly document: object
  /** The program names no server: that of the document is called. */
  readonly ownServer?: boolean
} & (
  | {
      readonly input: Input
      readonly answer?: { readonly type: string; readonly body: string }
      readonly holds: (seen: CallObservation) => boolean
    }
  | { readonly types: readonly string[]; readonly program: string }
  /** A client with OAuth's client credentials, which the peer makes by its own means. */
  | { readonly oauth: true; readonly holds: (seen: CallObservation) => boolean }
  /** Code for another language or framework; `words` are in the generated files. */
  | { readonly other: Other; readonly words: readonly string[] }
)

const text = { type: 'string' }
const record = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
})
const createResponses = (content?: object) => ({
  responses: { 200: { description: 'Done', ...(content && { content }) } },
})
const createJsonMedia = (schema: object) => ({ 'application/json': { schema } })
const createRequestBody = (content: object) => ({ requestBody: { required: true, content } })
const createDocument = (openapi: string, paths: object, rest: object = {}) => ({
  openapi,
  info: { title: 'Test', version: '1' },
  paths,
  ...rest,
})
const probe = (rest: object) => ({ operationId: 'probe', ...createResponses(), ...rest })
const createRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const findOnlyRequest = ({ requests }: CallObservation) =>
  requests.length === 1 ? requests[0] : undefined
const items = (
  feature: string,
  mediaType: string,
  type: string,
  body: string,
  data: object = { delta: 'a' },
): Probe => ({
  feature,
  document: createDocument('3.2.0', {
    '/a': { get: probe(createResponses({ [mediaType]: { itemSchema: record({ delta: text }) } })) },
  }),
  input: {},
  answer: { type, body },
  holds: ({ item }) =>
    isSame(item, data) || isSame((item as { readonly data?: unknown } | undefined)?.data, data),
})

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Each feature with the smallest document that has it. */
export const probes: readonly Probe[] = [
  {
    feature: 'OpenAPI 3.2 is read',
    document: createDocument('3.2.0', { '/a': { get: probe({}) } }),
    input: {},
    holds: (seen) => findOnlyRequest(seen)?.method === 'GET',
  },
  {
    feature: 'The method `query`',
    document: createDocument('3.2.0', {
      '/a': { query: probe(createRequestBody(createJsonMedia(record({ a: text })))) },
    }),
    input: { body: { a: 'x' } },
    holds: (seen) =>
      findOnlyRequest(seen)?.method === 'QUERY' && findOnlyRequest(seen)?.body === '{"a":"x"}',
  },
  {
    feature: '`additionalOperations`',
    document: createDocument('3.2.0', { '/a': { additionalOperations: { COPY: probe({}) } } }),
    input: {},
    holds: (seen) => findOnlyRequest(seen)?.method === 'COPY',
  },
  {
    feature: '`in: querystring`',
    document: createDocument('3.2.0', {
      '/a': {
        get: probe({
          parameters: [
            {
              name: 'q',
              in: 'querystring',
              content: {
                'application/x-www-form-urlencoded': { schema: record({ a: text, b: text }) },
              },
            },
          ],
        }),
      },
    }),
    input: { querystring: { a: 'x y', b: '2' } },
    holds: (seen) =>
      findOnlyRequest(seen)?.url.split('?')[1]?.replaceAll('%20', '+') === 'a=x+y&b=2',
  },
  {
    feature: 'Cookies as parameters',
    document: createDocument('3.1.0', {
      '/a': {
        get: probe({ parameters: [{ name: 'a', in: 'cookie', required: true, schema: text }] }),
      },
    }),
    input: { cookie: { a: 'x' } },
    holds: (seen) => findOnlyRequest(seen)?.cookie === 'a=x',
  },
  items(
    'Events, as they arrive',
    'text/event-stream',
    'text/event-stream',
    'data: {"delta":"a"}\n\n',
  ),
  items(
    'Lines of JSON, as they arrive',
    'application/jsonl',
    'application/jsonl',
    '{"delta":"a"}\n',
  ),
  items(
    'Parts of `multipart/mixed`, as they arrive',
    'multipart/mixed',
    'multipart/mixed; boundary=b',
    '--b\r\nContent-Type: application/json\r\n\r\n{"delta":"a"}\r\n--b\r\n',
  ),
  {
    feature: 'Lines of JSON as a request',
    document: createDocument('3.2.0', {
      '/a': {
        post: probe(
          createRequestBody({ 'application/jsonl': { itemSchema: record({ delta: text }) } }),
        ),
      },
    }),
    input: { body: [{ delta: 'a' }, { delta: 'b' }] },
    holds: (seen) => findOnlyRequest(seen)?.body.trim() === '{"delta":"a"}\n{"delta":"b"}',
  },
  {
    feature: 'int64 without loss, in both directions',
    document: createDocument('3.1.0', {
      '/a': {
        post: probe({
          ...createRequestBody(
            createJsonMedia(record({ id: { type: 'integer', format: 'int64' } })),
          ),
          ...createResponses(createJsonMedia(record({ id: { type: 'integer', format: 'int64' } }))),
        }),
      },
    }),
    input: { body: { id: 'bigint 9007199254740993' } },
    answer: { type: 'application/json', body: '{"id":9007199254740993}' },
    holds: (seen) =>
      findOnlyRequest(seen)?.body === '{"id":9007199254740993}' &&
      isSame(readData(seen), { id: 'bigint 9007199254740993' }),
  },
  {
    feature: 'date-time as Date, in both directions',
    document: createDocument('3.1.0', {
      '/a': {
        post: probe({
          ...createRequestBody(createJsonMedia(record({ at: { ...text, format: 'date-time' } }))),
          ...createResponses(createJsonMedia(record({ at: { ...text, format: 'date-time' } }))),
        }),
      },
    }),
    input: { body: { at: 'Date 2030-01-31T08:30:00.000Z' } },
    answer: { type: 'application/json', body: '{"at":"2030-01-31T08:30:00Z"}' },
    holds: (seen) =>
      findOnlyRequest(seen)?.body === '{"at":"2030-01-31T08:30:00.000Z"}' &&
      isSame(readData(seen), { at: 'Date 2030-01-31T08:30:00.000Z' }),
  },
  {
    feature: 'The server of an operation',
    ownServer: true,
    document: createDocument(
      '3.1.0',
      { '/a': { get: probe({ servers: [{ url: 'https://own.example/v2' }] }) } },
      { servers: [{ url: 'https://main.example' }] },
    ),
    input: {},
    holds: (seen) => findOnlyRequest(seen)?.url === 'https://own.example/v2/a',
  },
  {
    feature: 'Swagger 2.0',
    document: {
      swagger: '2.0',
      info: { title: 'Test', version: '1' },
      paths: {
        '/a/{id}': {
          get: {
            operationId: 'probe',
            parameters: [{ name: 'id', in: 'path', required: true, type: 'string' }],
            responses: { 200: { description: 'Done' } },
          },
        },
      },
    },
    input: { path: { id: 'x y' } },
    holds: (seen) => findOnlyRequest(seen)?.url.endsWith('/a/x%20y') === true,
  },
  {
    feature: 'Other operations of a document with a broken reference',
    document: createDocument('3.1.0', {
      '/a': { get: probe({}) },
      '/b': {
        get: { operationId: 'other', ...createResponses(createJsonMedia(createRef('Nowhere'))) },
      },
    }),
    input: {},
    holds: (seen) => findOnlyRequest(seen)?.url.endsWith('/a') === true,
  },
  {
    feature: 'Generic schemas by `$dynamicRef`',
    document: createDocument(
      '3.1.0',
      {
        '/a': {
          get: probe(
            createResponses({
              ...createJsonMedia(createRef('Pets')),
              'application/problem+json': { schema: createRef('Numbers') },
            }),
          ),
        },
      },
      {
        components: {
          schemas: {
            Pet: record({ name: text }, ['name']),
            Page: {
              ...record({ items: { type: 'array', items: { $dynamicRef: '#item' } } }, ['items']),
              $defs: { item: { $dynamicAnchor: 'item' } },
            },
            Pets: {
              ...createRef('Page'),
              $defs: { item: { $dynamicAnchor: 'item', ...createRef('Pet') } },
            },
            Numbers: {
              ...createRef('Page'),
              $defs: { item: { $dynamicAnchor: 'item', type: 'number' } },
            },
          },
        },
      },
    ),
    types: ['Pets', 'Numbers'],
    program: `declare const pets: Pets
declare const numbers: Numbers
export const name: string = pets.items[0]!.name
export const number: number = numbers.items[0]!
// @ts-expect-error a name is a text
export const wrong: number = pets.items[0]!.name`,
  },
  {
    feature: 'Types that a discriminator narrows',
    document: createDocument(
      '3.1.0',
      { '/a': { get: probe(createResponses(createJsonMedia(createRef('Pets')))) } },
      {
        components: {
          schemas: {
            Cat: record({ kind: text, meows: text }, ['kind', 'meows']),
            Dog: record({ kind: text, barks: text }, ['kind', 'barks']),
            Pets: {
              oneOf: [createRef('Cat'), createRef('Dog')],
              discriminator: {
                propertyName: 'kind',
                mapping: { cat: createRef('Cat').$ref, dog: createRef('Dog').$ref },
              },
            },
          },
        },
      },
    ),
    types: ['Pets'],
    program: `declare const pet: Pets
export const heard: string = pet.kind === 'cat' ? pet.meows : pet.barks`,
  },
  {
    feature: 'OAuth 2 client credentials: a token for the first call, and another after a 401',
    document: createDocument(
      '3.1.0',
      { '/a': { get: probe({ security: [{ oauth: [] }] }) } },
      {
        components: {
          securitySchemes: {
            oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: {} } } },
          },
        },
      },
    ),
    oauth: true,
    holds: ({ requests }) =>
      isSame(
        requests.map(({ url, authorization }) => (url === tokenUrl ? 'token' : authorization)),
        ['token', 'Bearer token-1', 'token', 'Bearer token-2'],
      ),
  },
  ...(
    [
      ['A client in Python', 'python', ['def probe']],
      ['A client in Go', 'go', ['func ', 'Probe']],
      ['Services of Angular', 'angular', ['HttpClient']],
      ['Hooks of SWR', 'swr', ['useProbe', 'swr']],
    ] as const
  ).map(([feature, other, words]): Probe => ({
    feature,
    document: createDocument('3.1.0', {
      '/a': { get: probe(createResponses(createJsonMedia(record({ a: text })))) },
    }),
    other,
    words,
  })),
]

/** The data of a result, which some clients give alone. */
function readData({ result }: CallObservation): unknown {
  return typeof result === 'object' && result !== null && 'data' in result ? result.data : result
}
