import { fingerprintOf } from '../http/billing.js'
import { fieldFault, HttpError, keyConflict, refusal } from '../http/http-error.js'
import { keptText } from '../platform/database/kept-text.js'
import { mostUsd } from '../domain/ledger/money.js'
import type { Handler } from '../contract/handler.js'
import { keyCaller } from './key-caller.js'

/** RFC 3339 has four digits for a year; a date with an offset may lie beyond them in UTC. */
const year10000 = Date.UTC(10_000, 0)

/**
 * Makes a key for the account of the ADMIN key that asks, within the limits of that one. The secret
 * is in this answer alone: a repeat is 409.
 */
export const createApiKey: Handler<'createApiKey'> = async ({ input, caller, request, services }) => {
  const { account, keyId } = keyCaller(caller)
  const { apiKeyType, consumptionLimit, limitPeriod, expiresAt } = input
  const description = keptText('description', input.description)
  for (const [unit, amount] of Object.entries(consumptionLimit ?? {})) {
    if (typeof amount === 'number' && (amount < 0 || amount > mostUsd))
      throw fieldFault('consumptionLimit', `${unit}: Expected 0 to ${mostUsd}.`)
  }
  const expires = expiresAt === undefined ? undefined : Date.parse(expiresAt)
  if (expires !== undefined && !(expires > services.now())) throw fieldFault('expiresAt', 'Expected a time to come.')
  if (expires !== undefined && expires >= year10000) throw fieldFault('expiresAt', 'Expected a time before the year 10000 in UTC.')
  const idempotencyKey = request.headers.get('idempotency-key')
  const created = await services.keys.create({
    account,
    type: apiKeyType,
    description,
    ...(consumptionLimit && { limit: consumptionLimit }),
    ...(limitPeriod && { period: limitPeriod }),
    ...(expires !== undefined && { expiresAt: expires }),
    ...(keyId !== undefined && { madeBy: keyId }),
    ...(idempotencyKey !== null && { idempotency: { key: idempotencyKey, fingerprint: fingerprintOf(input) } }),
  })
  if (created.status === 'beyond maker') throw fieldFault(created.field, created.message)
  if (created.status === 'conflict') throw keyConflict()
  if (created.status === 'repeated') throw madeBefore(created.id)
  if (created.status === 'too many') {
    throw refusal(400, `There are ${created.limit} active keys, as many as there can be. Let some expire.`, 'TOO_MANY_KEYS')
  }
  const { key, secret } = created
  return {
    json: {
      success: true,
      data: {
        apiKey: secret,
        apiKeyType: key.type,
        consumptionLimit: key.limit,
        limitPeriod: key.period,
        ...(key.expiresAt !== undefined && { expiresAt: new Date(key.expiresAt).toISOString() }),
        id: key.id,
        description: key.description,
      },
    },
  }
}

function madeBefore(id: string): HttpError {
  const error = `This Idempotency-Key made the API key ${id}, whose secret was told once. For another key, use another Idempotency-Key.`
  return new HttpError(409, { error, code: 'API_KEY_MADE_BEFORE', id })
}
