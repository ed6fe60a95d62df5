const headers = Object.fromEntries(
  [
    'limit-requests',
    'remaining-requests',
    'reset-requests',
    'limit-tokens',
    'remaining-tokens',
    'reset-tokens',
  ].map((name) => [`x-ratelimit-${name}`, { schema: { type: 'number' } }]),
)

const fault = {
  description: 'Something went wrong.',
  headers,
  content: {
    'application/json': { schema: { type: 'object' }, examples: { fault: { value: {} } } },
  },
}

const unavailable = {
  ...fault,
  headers: { ...headers, 'Retry-After': { schema: { type: 'string' } } },
}

const response = {
  description: 'The voice.',
  headers,
  content: { 'audio/mpeg': { schema: { type: 'string', format: 'binary' } } },
}

const closed = {
  type: 'object',
  additionalProperties: false,
  properties: { id: { type: 'string' } },
}

/** A small document that obeys every rule. */
export const good = {
  openapi: '3.1.0',
  info: { title: 'A good document', version: '20261121.093000' },
  paths: {
    '/audio/speech': {
      post: {
        operationId: 'createSpeech',
        'x-provisional': false,
        'x-idempotent': false,
        'x-rate-limit': 'audio',
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object' },
              examples: { shortest: { value: {} } },
            },
          },
        },
        responses: { '200': response, '400': fault, '503': unavailable },
      },
    },
    '/models': {
      get: {
        operationId: 'listModels',
        'x-provisional': 'From public material.',
        'x-idempotent': true,
        'x-rate-limit': 'audio',
        responses: { '200': fault, '500': fault, '503': unavailable },
      },
    },
  },
  components: {
    schemas: { LedgerEntry: closed, TransactionHistoryData: closed, Open: { type: 'object' } },
  },
  'x-rate-limits': { classes: { audio: {} } },
}

/** The good document with one thing changed, or taken away when the value is undefined. */
export function changeGood(path: readonly string[], value: unknown): object {
  const copy: unknown = JSON.parse(JSON.stringify(good))
  const parent = path
    .slice(0, -1)
    .reduce((node, key) => (node as Record<string, unknown>)[key], copy) as Record<string, unknown>
  const last = path.at(-1) ?? ''
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return copy as object
}
