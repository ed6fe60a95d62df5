import { failure, invalidField, keyConflict } from '../contract/failures.js'
import { fingerprintOf } from '../domain/ledger/fingerprint.js'
import { changeInStorage } from '../platform/database/change-in-storage.js'
import { mostUsd } from '../domain/ledger/money.js'
import type { Handler } from '../contract/handler.js'

/** RFC 3339 has four digits for a year, but an offset can move a date beyond them in UTC. */
const year10000 = Date.UTC(10_000, 0)

/**
 * Makes a key within the limits of the ADMIN key. The secret is in this response alone: a repeat is
 * 409.
 */
export const createApiKey: Handler<'createApiKey'> = async ({ input, caller: { account, keyId }, headers, services }) => {
  const { apiKeyType, description, consumptionLimit, limitPeriod, expiresAt } = input
  const change = changeInStorage(description)
  if (change !== undefined) return invalidField('description', change)
  for (const [unit, amount] of Object.entries(consumptionLimit ?? {})) {
    if (typeof amount === 'number' && (amount < 0 || amount > mostUsd))
      return invalidField('consumptionLimit', `${unit}: Expected 0 to ${mostUsd}.`)
  }
  const expires = expiresAt === undefined ? undefined : Date.parse(expiresAt)
  if (expires !== undefined && !(expires > services.now())) return invalidField('expiresAt', 'Expected a time to come.')
  if (expires !== undefined && expires >= year10000) return invalidField('expiresAt', 'Expected a time before the year 10000 in UTC.')
  const idempotencyKey = headers.get('idempotency-key')
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
  if (created.status === 'beyond maker') return invalidField(created.field, created.message)
  if (created.status === 'conflict') return keyConflict()
  if (created.status === 'repeated') return madeBefore(created.id)
  if (created.status === 'too many') {
    return failure(400, `There are ${created.limit} active keys, as many as there can be. Let some expire.`, 'TOO_MANY_KEYS')
  }
  const { key, secret } = created
  return {
    status: 200,
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

function madeBefore(id: string) {
  const error = `This Idempotency-Key made the API key ${id}, whose secret was told once. For another key, use another Idempotency-Key.`
  return { status: 409 as const, json: { error, code: 'API_KEY_MADE_BEFORE', id } }
}
