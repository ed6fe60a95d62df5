import { fingerprintOf } from '../http/cashier.js'
import { fieldFault, HttpError, keyConflict, refusal } from '../http/http-error.js'
import type { Handler } from './handler.js'
import { keyCaller } from './key-caller.js'

/**
 * Makes a key for the account of the ADMIN key that asks, within the limits of that one. The secret
 * is in this answer alone: a repeat is 409.
 */
export const createApiKey: Handler<'createApiKey'> = async ({ input, caller, request, services }) => {
  const { account, keyId } = keyCaller(caller)
  const { apiKeyType, description, consumptionLimit, limitPeriod, expiresAt } = input
  if (description.includes('\0')) throw fieldFault('description', 'U+0000 cannot be kept.')
  for (const [unit, amount] of Object.entries(consumptionLimit ?? {})) {
    if (typeof amount === 'number' && (amount < 0 || amount > 9_999_999_999))
      throw fieldFault('consumptionLimit', `${unit}: Expected 0 to 9999999999.`)
  }
  const expires = expiresAt === undefined ? undefined : Date.parse(expiresAt)
  if (expires !== undefined && !(expires > services.now())) throw fieldFault('expiresAt', 'Expected a time to come.')
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
