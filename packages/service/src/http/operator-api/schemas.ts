import * as z from 'zod'
import { keyStates } from '../../domain/accounts/key-records.js'
import { minUsd } from '../../domain/ledger/money.js'
import { usageDimensions } from '../../domain/usage/usage-report.js'
import { jobStates } from '../../domain/video/video-job.js'

const time = z.iso.datetime().describe('RFC 3339, in UTC.')
const usd = z.number().describe('US dollars.')
const day = z.iso.date().describe('A day in UTC.')
const keyType = z.enum(['INFERENCE', 'ADMIN'])
const limitPeriod = z.enum(['EPOCH', 'MONTH', 'LIFETIME']).describe('EPOCH is a day in UTC.')
const consumptionLimit = z.object({
  usd: usd.optional(),
  diem: usd.optional(),
  vcu: usd.optional(),
})
const description = z.string()
const account = z.string().describe('The address of a wallet, or `key:` with a name.')
/** Characters are code points, as JSON Schema counts them. */
const atMost = (length: number) =>
  z
    .string()
    .refine((text) => Array.from(text).length <= length, `Expected at most ${length} characters`)
    .meta({ maxLength: length })
const newDescription = atMost(64)

export const page = {
  limit: z.coerce.number().int().min(1).max(500).default(100),
  offset: z.coerce.number().int().min(0).default(0),
}
export const days = z.coerce
  .number()
  .int()
  .min(1)
  .max(366)
  .default(30)
  .describe('The last days, today included.')
export const accountFilter = account.optional()
export const keyStateFilter = z.enum(keyStates).optional()
export const jobStateFilter = z.enum(jobStates).optional()

export const accountRecord = z.object({
  account,
  kind: z.enum(['wallet', 'key']),
  balance: usd.describe('US dollars before holds: the sum of the entries.'),
  held: usd,
  spendable: usd,
  dailyCredit: usd.describe('What the account may spend of its daily credit on a day.'),
  dailyCreditLeft: usd,
  entries: z.int(),
  partner: z.boolean(),
  frozen: z
    .object({ at: time, by: z.string(), reason: z.string() })
    .optional()
    .describe('Since when the account is frozen, and why.'),
  createdAt: time,
})

export const entryRecord = z.object({
  id: z.string(),
  type: z.string(),
  amount: usd,
  dailyCredit: usd.describe('What moved of the daily credit.'),
  balanceAfter: usd,
  refunds: z.string().nullable().describe('The charge that it gives back, or a part of it.'),
  actor: z.string().nullable().describe('Who moved money by hand.'),
  reason: z.string().nullable(),
  createdAt: time,
  requestId: z.string().nullable(),
  modelId: z.string().nullable(),
})

/** One line, which is not empty. */
const line = (length: number) =>
  atMost(length).regex(/^(?=\s*\S)\P{Cc}*$/u, 'Expected one line that is not empty')
const actor = line(64).default('operator').describe('Who does it.')
const reason = line(500).describe('Why. The ledger keeps it.')
const amount = z
  .number()
  .min(minUsd)
  .max(999_999_999.999_999)
  .refine((usd) => Math.abs(usd * 1e6 - Math.round(usd * 1e6)) < 1e-3, {
    error: 'Expected at most six decimals',
  })
  .describe('US dollars, with at most six decimals.')
const key = line(200).optional().describe('Requests with the same key take effect once.')

export const refund = z.strictObject({
  amount: amount.optional().describe('Default: all that is left of the charge.'),
  reason,
  actor,
  key,
})
export const move = z.strictObject({ amount, reason, actor, key })
export const freezing = z.strictObject({ reason, actor })
export const correction = z.object({
  account,
  entry: entryRecord,
  repeated: z.boolean().describe('Whether an earlier request with this key did it.'),
})
export const writeOff = z.strictObject({ reason, actor })
export const debtRecord = z.object({
  id: z.string().describe('Of the payment.'),
  account,
  amount: usd.describe('US dollars that are owed.'),
  network: z.string().describe('The chain, by CAIP-2.'),
  requestId: z.string(),
  modelId: z.string().nullable(),
  since: time,
  settleUntil: time.describe('When its permit ends. It can be written off after that.'),
})
export const grantedDebt = z.object({
  account,
  entry: z.string().describe('The grant.'),
  amount: usd,
})
export const search = z.object({
  q: line(200).describe(
    'The beginning of the name of an account or of the id of a key, or the whole id of a ledger entry, of a request of the last 90 days, or of the transaction of a payment.',
  ),
})
export const found = z.object({
  by: z.enum(['account', 'key', 'charge', 'request', 'payment']),
  id: z.string().optional().describe('Of the key, the ledger entry or the transaction.'),
  account: accountRecord,
})

export const keyRecord = z.object({
  id: z.uuid(),
  account,
  partner: z.boolean().describe('Whether the account has the rate limits of partners.'),
  apiKeyType: keyType,
  description,
  state: z.enum(keyStates),
  consumptionLimit,
  limitPeriod,
  consumed: z
    .object({ usd, diem: usd })
    .describe('In the current period, with what keys below it consumed.'),
  createdAt: time,
  madeBy: z.uuid().optional().describe('The key that made it.'),
  expiresAt: time.optional(),
  lastUsedAt: time.optional().describe('Written every 10 s.'),
  rotatedAt: time.optional(),
  previousSecretUntil: time
    .optional()
    .describe('Until when the secret before the last rotation is accepted.'),
  revokedAt: time.optional(),
})

export const keyWithSecret = keyRecord.extend({
  secret: z.string().describe('Only this response contains it.'),
})

export const newKey = z.strictObject({
  account: atMost(104).describe('`key:` with a name.'),
  apiKeyType: keyType.default('INFERENCE'),
  description: newDescription.default(''),
  consumptionLimit: z.strictObject(consumptionLimit.shape).optional(),
  limitPeriod: limitPeriod.optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
})

/** A merge patch (RFC 7396). Absent fields stay. Null removes the limits or the end. */
export const keyPatch = z.strictObject({
  description: newDescription.optional(),
  consumptionLimit: z
    .strictObject(consumptionLimit.shape)
    .nullable()
    .optional()
    .describe('All limits. Null: none of its own.'),
  limitPeriod: limitPeriod.optional().describe('A new period starts at zero.'),
  expiresAt: z.iso.datetime({ offset: true }).nullable().optional().describe('Null: never.'),
})

export const rotation = z.strictObject({
  graceSeconds: z
    .int()
    .min(0)
    .max(2_592_000)
    .default(0)
    .describe('How long the old secret is accepted too.'),
})

export const usageRecord = z.object({
  day,
  model: z.string().nullable(),
  calls: z.int().describe('Calls that were charged.'),
  refunds: z.int(),
  usd: usd.describe('Charges less refunds of the day.'),
  dailyCredit: usd,
})

export const usageDays = {
  from: z.iso.date().optional().describe('The first day in UTC. Default: 29 days before the last.'),
  to: z.iso.date().optional().describe('The last day in UTC. Default: today.'),
}

const dimensions = new RegExp(`^(${usageDimensions.join('|')})(,(${usageDimensions.join('|')}))*$`)
export const usageSplit = z
  .string()
  .regex(dimensions, `Expected a list of ${usageDimensions.join(', ')}`)
  .default('day,model')
  .describe(`How rows are grouped: a list of ${usageDimensions.join(', ')}.`)

export const reportRecord = z.object({
  day: day.optional(),
  key: z
    .string()
    .nullable()
    .optional()
    .describe('The id of the API key. Null for wallets and the administrator.'),
  wallet: z.string().optional().describe('The wallet, or the account that owns the API keys.'),
  model: z.string().nullable().optional(),
  requests: z.int().describe('Requests that were charged.'),
  refunds: z.int(),
  charged: usd,
  refunded: usd,
  dailyCredit: usd.describe('What of this was paid with daily credit.'),
  uncosted: z.int().describe('Charges whose cost is unknown.'),
  cost: usd.nullable().describe('What the work cost the operator. Null if part of it is unknown.'),
  margin: usd
    .nullable()
    .describe('What was charged less refunds and cost. Null if the cost is unknown.'),
})

export const flowRecord = z.object({
  day,
  type: z.string(),
  entries: z.int(),
  usd,
  dailyCredit: usd,
})

export const jobRecord = z.object({
  id: z.uuid(),
  account,
  model: z.string(),
  state: z.enum(jobStates),
  price: usd.describe('What is held for it; once it has ended, what it costs.'),
  attempts: z.int(),
  createdAt: time,
  startedAt: time.optional(),
  finishedAt: time.optional(),
  failure: z.string().optional(),
})

export const errorRecord = z.object({
  time,
  process: z.string().describe('The host and the number of the process.'),
  requestId: z.string().optional(),
  operation: z.string().optional(),
  status: z.int().optional(),
  code: z.string().optional(),
  upstream: z.string().optional().describe('The upstream that failed.'),
  message: z.string().optional().describe('Of a crash or an upstream. The log has the rest.'),
})

export const auditResult = z.object({
  checkedAt: time,
  consistent: z.boolean(),
  faults: z.array(z.object({ account: z.string(), fault: z.string() })),
})

const load = {
  outcomes: z.record(z.string(), z.int()).describe('How many calls ended with each outcome.'),
  meanSeconds: z.number().nullable().describe('Null before the first call.'),
}

const state = {
  ready: z.boolean(),
  checks: z.record(z.string(), z.enum(['ok', 'failed', 'timeout', 'draining'])),
  backends: z
    .array(z.object({ backend: z.string(), ...load }))
    .describe('What does the work: an upstream, or a model inside the service.'),
  upstreams: z.array(
    z.object({
      capability: z.string(),
      upstream: z.string(),
      state: z
        .enum(['ok', 'unhealthy', 'circuit-open', 'circuit-half-open'])
        .describe(
          'Requests are sent to an upstream unless its health checks fail or its circuit is open.',
        ),
      inFlight: z.int(),
      ...load,
    }),
  ),
  troubles: z
    .record(z.string(), z.int())
    .describe('How often the database, a facilitator, a node or an upstream failed the service.'),
}

export const health = z.object({ ...state, allowsChanges: z.boolean() })

export const processReport = z.object({
  id: z.string(),
  process: z.string().describe('Its host and number.'),
  startedAt: time,
  reportedAt: time.describe('Reports are written every 20 s.'),
  ...state,
})
