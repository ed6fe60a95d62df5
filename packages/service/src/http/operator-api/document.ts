import * as z from 'zod'
import { operatorOperations, type OperatorOperation } from './operations.js'

export const operatorBase = '/operator/v1'

/** The OpenAPI document of the operator's API. */
export function operatorDocument(): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [operationId, operation] of Object.entries<OperatorOperation>(operatorOperations)) {
    ;(paths[operation.path] ??= {})[operation.method.toLowerCase()] = {
      operationId,
      ...describeOperation(operation),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Farebox operator API',
      version: '1.0.0',
      description: 'Accounts, API keys and the state of a Farebox service.',
    },
    servers: [{ url: operatorBase }],
    security: [{ OperatorKey: [] }],
    paths,
    components: {
      securitySchemes: { OperatorKey: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: toJsonSchema(errorBody, 'output') },
    },
  }
}

export const errorBody = z.object({ error: z.string(), code: z.string() })

function describeOperation({ path, summary, query, body, answer, changes }: OperatorOperation) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const statuses = [
    '400',
    '401',
    ...(changes ? ['403', '409'] : []),
    ...(path.includes('{') ? ['404'] : []),
    '500',
    '503',
  ]
  const error = {
    description: 'The request was refused.',
    content: json({ $ref: '#/components/schemas/Error' }),
  }
  return {
    summary,
    parameters: [...names, ...describeParameters(query)],
    ...(body && { requestBody: { required: true, content: json(toJsonSchema(body, 'input')) } }),
    responses: {
      '200': { description: 'Done.', content: json(toJsonSchema(answer, 'output')) },
      ...Object.fromEntries(statuses.map((status) => [status, error])),
    },
  }
}

function describeParameters(query: z.ZodObject | undefined) {
  const schema =
    query &&
    (toJsonSchema(query, 'output') as { readonly properties?: Readonly<Record<string, unknown>> })
  return Object.entries(schema?.properties ?? {}).map(([name, one]) => ({
    name,
    in: 'query',
    required: false,
    schema: one,
  }))
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io })
  return rest
}

function json(schema: unknown) {
  return { 'application/json': { schema } }
}
