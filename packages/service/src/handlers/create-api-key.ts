import {
  accountFrozen,
  doneBefore,
  failure,
  invalidField,
  keyConflict,
} from '../contract/failures.js'
import { faultOfKey } from '../domain/accounts/key-rules.js'
import type { Handler } from '../contract/handler.js'

/**
 * Makes a key within the limits of the ADMIN key. The secret is in this response alone: a repeat is
 * 409.
 */
export const createApiKey: Handler<'createApiKey'> = async ({
  input,
  caller: { account, keyId },
  idempotency,
  services,
}) => {
  const { apiKeyType, description, consumptionLimit, limitPeriod, expiresAt } = input
  const fault = faultOfKey(input, services.now())
  if (fault) return invalidField(fault.field, fault.message)
  const created = await services.keys.create({
    account,
    type: apiKeyType,
    description,
    ...(consumptionLimit && { limit: consumptionLimit }),
    ...(limitPeriod && { period: limitPeriod }),
    ...(expiresAt !== undefined && { expiresAt: Date.parse(expiresAt) }),
    ...(keyId !== undefined && { madeBy: keyId }),
    ...(idempotency && { idempotency }),
  })
  if (created.status === 'beyond maker') return invalidField(created.field, created.message)
  if (created.status === 'frozen') return accountFrozen()
  if (created.status === 'conflict') return keyConflict()
  if (created.status === 'repeated')
    return doneBefore(
      'made the API key',
      created.id,
      'For another key, use another Idempotency-Key.',
    )
  if (created.status === 'too many') {
    return failure(
      400,
      `There are ${created.limit} active keys, as many as there can be. Let some expire.`,
      'TOO_MANY_KEYS',
    )
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
