import * as z from 'zod'
import * as schemas from './schemas.js'

export type OperatorOperation = {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Below `/operator/v1`, with `{names}`. */
  readonly path: string
  readonly summary: string
  /** Rejected unless the operator allows changes. */
  readonly changes?: true
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  readonly response: z.ZodObject
}

const { page, days } = schemas

/** The operator's API: its routes, its checks and its OpenAPI document follow from this table. */
export const operatorOperations = {
  listAccounts: {
    method: 'GET',
    path: '/accounts',
    summary: 'Accounts with their balances, the latest first, and the totals of all',
    query: z.object(page),
    response: z.object({
      accounts: z.array(schemas.accountRecord),
      hasMore: z.boolean(),
      totals: z.object({ accounts: z.int(), balance: z.number(), held: z.number() }),
    }),
  },
  getAccount: {
    method: 'GET',
    path: '/accounts/{account}',
    summary: 'One account',
    response: schemas.accountRecord,
  },
  listEntries: {
    method: 'GET',
    path: '/accounts/{account}/entries',
    summary: 'The ledger of an account, newest first',
    query: z.object({ ...page, limit: z.coerce.number().int().min(1).max(100).default(50) }),
    response: z.object({ entries: z.array(schemas.entryRecord), hasMore: z.boolean() }),
  },
  findAccounts: {
    method: 'GET',
    path: '/find',
    summary: 'Accounts by a name, a key, a charge, a request or a payment: at most 20',
    query: schemas.search,
    response: z.object({ found: z.array(schemas.found) }),
  },
  refundCharge: {
    method: 'POST',
    path: '/entries/{entry}/refund',
    summary: 'Give a charge back, or a part of it',
    changes: true,
    body: schemas.refund,
    response: schemas.correction,
  },
  creditAccount: {
    method: 'POST',
    path: '/accounts/{account}/credit',
    summary: 'Credit an account. One of API keys is opened if necessary',
    changes: true,
    body: schemas.move,
    response: schemas.correction,
  },
  debitAccount: {
    method: 'POST',
    path: '/accounts/{account}/debit',
    summary: 'Debit credit that can be spent',
    changes: true,
    body: schemas.move,
    response: schemas.correction,
  },
  freezeAccount: {
    method: 'POST',
    path: '/accounts/{account}/freeze',
    summary: 'Reject new work and new keys of an account. Its balance can still be read',
    changes: true,
    body: schemas.freezing,
    response: schemas.accountRecord,
  },
  unfreezeAccount: {
    method: 'POST',
    path: '/accounts/{account}/unfreeze',
    summary: 'End that',
    changes: true,
    response: schemas.accountRecord,
  },
  listDebts: {
    method: 'GET',
    path: '/debts',
    summary: 'Delivered work whose payment by "upto" was not settled, oldest first',
    query: z.object(page),
    response: z.object({ debts: z.array(schemas.debtRecord), hasMore: z.boolean() }),
  },
  writeOffDebt: {
    method: 'POST',
    path: '/debts/{debt}/write-off',
    summary: 'Grant a wallet what it owes for such work, which ends its stop',
    changes: true,
    body: schemas.writeOff,
    response: schemas.grantedDebt,
  },
  listKeys: {
    method: 'GET',
    path: '/keys',
    summary: 'API keys, newest first',
    query: z.object({ ...page, account: schemas.accountFilter, state: schemas.keyStateFilter }),
    response: z.object({ keys: z.array(schemas.keyRecord), hasMore: z.boolean() }),
  },
  createKey: {
    method: 'POST',
    path: '/keys',
    summary: 'Create an API key, and its account if it does not exist',
    changes: true,
    body: schemas.newKey,
    response: schemas.keyWithSecret,
  },
  getKey: {
    method: 'GET',
    path: '/keys/{id}',
    summary: 'One API key',
    response: schemas.keyRecord,
  },
  changeKey: {
    method: 'PATCH',
    path: '/keys/{id}',
    summary: 'Change the limits, expiry or description of a key. Absent fields stay',
    changes: true,
    body: schemas.keyPatch,
    response: schemas.keyRecord,
  },
  rotateKey: {
    method: 'POST',
    path: '/keys/{id}/rotate',
    summary: 'Give a key a new secret',
    changes: true,
    body: schemas.rotation,
    response: schemas.keyWithSecret,
  },
  revokeKey: {
    method: 'POST',
    path: '/keys/{id}/revoke',
    summary: 'Revoke a key for good, with all keys that it created',
    changes: true,
    response: schemas.keyRecord,
  },
  getKeyUsage: {
    method: 'GET',
    path: '/keys/{id}/usage',
    summary: 'What a key spent, by day and model, newest day first',
    query: z.object({ days }),
    response: z.object({ usage: z.array(schemas.usageRecord) }),
  },
  getMoneyFlow: {
    method: 'GET',
    path: '/money',
    summary: 'What all accounts took in and spent, by day and type of entry, newest day first',
    query: z.object({ days }),
    response: z.object({ flow: z.array(schemas.flowRecord) }),
  },
  listUsage: {
    method: 'GET',
    path: '/usage',
    summary: 'Requests, charges, costs and margins by day, key, wallet and model',
    query: z.object({ ...page, ...schemas.usageDays, by: schemas.usageSplit }),
    response: z.object({ usage: z.array(schemas.reportRecord), hasMore: z.boolean() }),
  },
  listJobs: {
    method: 'GET',
    path: '/jobs',
    summary: 'Video jobs, newest first',
    query: z.object({ ...page, state: schemas.jobStateFilter }),
    response: z.object({ jobs: z.array(schemas.jobRecord), hasMore: z.boolean() }),
  },
  listErrors: {
    method: 'GET',
    path: '/errors',
    summary: 'The last errors of all processes, newest first',
    query: z.object({ requestId: z.string().optional() }),
    response: z.object({ errors: z.array(schemas.errorRecord) }),
  },
  getAudit: {
    method: 'GET',
    path: '/audit',
    summary: 'The result of an audit of the ledger that is at most a minute old',
    response: schemas.auditResult,
  },
  getHealth: {
    method: 'GET',
    path: '/health',
    summary: 'The health of this process and its upstreams',
    response: schemas.health,
  },
  listProcesses: {
    method: 'GET',
    path: '/processes',
    summary: 'The processes that share the database, with their health',
    response: z.object({ processes: z.array(schemas.processReport) }),
  },
} as const satisfies Record<string, OperatorOperation>

export type OperatorOperationId = keyof typeof operatorOperations

type Table = typeof operatorOperations
type PartOutput<Operation, Part extends string> =
  Operation extends Readonly<Record<Part, infer Schema extends z.ZodType>>
    ? z.output<Schema>
    : unknown
type PartInput<Operation, Part extends string> =
  Operation extends Readonly<Record<Part, infer Schema extends z.ZodType>>
    ? z.input<Schema>
    : unknown
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

/** The fields of path, query and body together, validated. */
export type OperatorInput<Id extends OperatorOperationId> = Readonly<
  Record<NamesIn<Table[Id]['path']>, string>
> &
  PartOutput<Table[Id], 'query'> &
  PartOutput<Table[Id], 'body'>

/** The same fields as a client sends them. */
export type OperatorRequest<Id extends OperatorOperationId> = Readonly<
  Record<NamesIn<Table[Id]['path']>, string>
> &
  PartInput<Table[Id], 'query'> &
  PartInput<Table[Id], 'body'>

export type OperatorResponse<Id extends OperatorOperationId> = z.input<Table[Id]['response']>

export const operatorBase = '/operator/v1'

/** The OpenAPI document of the operator's API. */
export function createOperatorDocument(): Readonly<Record<string, unknown>> {
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

const errorBody = z.object({ error: z.string(), code: z.string() })

function describeOperation({ path, summary, query, body, response, changes }: OperatorOperation) {
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
    description: 'The request was rejected.',
    content: toJsonContent({ $ref: '#/components/schemas/Error' }),
  }
  return {
    summary,
    parameters: [...names, ...describeParameters(query)],
    ...(body && {
      requestBody: { required: true, content: toJsonContent(toJsonSchema(body, 'input')) },
    }),
    responses: {
      '200': { description: 'Done.', content: toJsonContent(toJsonSchema(response, 'output')) },
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

function toJsonContent(schema: unknown) {
  return { 'application/json': { schema } }
}
