import {
  accountFrozen,
  responseNotStored,
  failure,
  invalidField,
  idempotencyConflict,
} from '../contract/failures.js'
import type { Handler } from '../contract/handler.js'
import type { KeyCaller } from '../domain/accounts/authenticate.js'
import type { KeyReach, KeyRecord } from '../domain/accounts/key-records.js'
import { findKeyFault, toKeyJson } from '../domain/accounts/key-rules.js'
import type { RateLimits } from '@farebox/types'
import { toUsd } from '../domain/ledger/money.js'
import {
  findClassLimits,
  listRateClasses,
  type Catalogue,
  type RateTier,
} from '../domain/models/catalogue.js'

/**
 * Creates a key within the limits of the ADMIN key. Only this response contains the secret: a
 * repeat returns 409.
 */
export const createApiKey: Handler<'createApiKey'> = async ({
  input,
  caller: { account, keyId },
  idempotency,
  services,
}) => {
  const { apiKeyType, description, consumptionLimit, limitPeriod, expiresAt } = input
  const fault = findKeyFault(input, services.now())
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
  if (created.status === 'conflict') return idempotencyConflict()
  if (created.status === 'repeated')
    return responseNotStored(
      'made the API key',
      created.id,
      'For another key, use another Idempotency-Key.',
    )
  if (created.status === 'too many') {
    return failure(
      400,
      `There are ${created.limit} active keys, which is the maximum. Revoke some or let them expire.`,
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

/** A page of the keys that the caller may see, newest first. */
export const listApiKeys: Handler<'listApiKeys'> = async ({
  input: { state, limit, offset },
  caller,
  services,
}) => {
  const { keys, hasMore } = await services.keys.list({
    ...toReach(caller),
    ...(state && { state }),
    limit,
    offset,
  })
  return {
    status: 200,
    json: {
      success: true,
      data: { keys: keys.map(toOwnKey), pagination: { limit, offset, hasMore } },
    },
  }
}

export const getApiKey: Handler<'getApiKey'> = async ({ input: { id }, caller, services }) => {
  const key = await services.keys.read(id, toReach(caller))
  return key ? respondWithKey(key) : keyNotFound(id)
}

/** A key can change the limits of keys that it created, within its own limits, but not its own. */
export const changeApiKey: Handler<'changeApiKey'> = async ({ input, caller, services }) => {
  const { id, description, consumptionLimit, limitPeriod, expiresAt } = input
  const fault = findKeyFault(input, services.now())
  if (fault) return invalidField(fault.field, fault.message)
  if ((await services.keys.read(id, toReach(caller))) === undefined) return keyNotFound(id)
  if (id.toLowerCase() === caller.keyId) {
    return failure(
      403,
      'A key cannot change itself. Use the key that made it, or ask the operator.',
      'KEY_FORBIDDEN',
    )
  }
  const changed = await services.keys.change(id, {
    ...(description !== undefined && { description }),
    ...(consumptionLimit !== undefined && { limit: consumptionLimit }),
    ...(limitPeriod && { period: limitPeriod }),
    ...(expiresAt !== undefined && {
      expiresAt: expiresAt === null ? null : Date.parse(expiresAt),
    }),
  })
  if (changed.status === 'beyond maker') return invalidField(changed.field, changed.message)
  if (changed.status === 'unknown') return keyNotFound(id)
  return changed.status === 'ended' ? keyEnded(changed.key) : respondWithKey(changed.key)
}

/** Only this response contains the secret. */
export const rotateApiKey: Handler<'rotateApiKey'> = async ({
  input: { id, graceSeconds },
  caller,
  services,
}) => {
  if ((await services.keys.read(id, toReach(caller))) === undefined) return keyNotFound(id)
  const rotated = await services.keys.rotate(id, graceSeconds * 1000)
  if (rotated.status === 'unknown') return keyNotFound(id)
  if (rotated.status === 'ended') return keyEnded(rotated.key)
  const { rotatedAt = services.now(), previousSecretUntil } = rotated.key
  const until =
    previousSecretUntil === undefined
      ? {}
      : { previousSecretUntil: new Date(previousSecretUntil).toISOString() }
  const data = {
    apiKey: rotated.secret,
    id: rotated.key.id,
    rotatedAt: new Date(rotatedAt).toISOString(),
    ...until,
  }
  return { status: 200, json: { success: true, data } }
}

export const revokeApiKey: Handler<'revokeApiKey'> = async ({
  input: { id },
  caller,
  services,
}) => {
  if ((await services.keys.read(id, toReach(caller))) === undefined) return keyNotFound(id)
  const revoked = await services.keys.revoke(id)
  return revoked.status === 'unknown' ? keyNotFound(id) : respondWithKey(revoked.key)
}

/** The caller's key and those created by it. The admin key reaches its whole account. */
function toReach({ account, keyId }: KeyCaller): KeyReach {
  return { account, ...(keyId !== undefined && { within: keyId }) }
}

function toOwnKey(key: KeyRecord) {
  const { account: _account, partner: _partner, ...own } = toKeyJson(key)
  return own
}

function respondWithKey(key: KeyRecord) {
  return { status: 200 as const, json: { success: true, data: toOwnKey(key) } }
}

function keyNotFound(id: string) {
  return failure(
    404,
    `There is no key ${id} among those that this key may manage.`,
    'KEY_NOT_FOUND',
  )
}

function keyEnded({ state }: KeyRecord) {
  return failure(400, `The key is ${state} and cannot be changed. Create another one.`, 'KEY_ENDED')
}

type ModelLimits = RateLimits['data']['rateLimits'][number]

/** The limits and balances of the key and its account. */
export const getRateLimits: Handler<'getRateLimits'> = async ({
  caller: { account, partner, expiresAt },
  services,
}) => {
  const { usd, diem, diemDaily } = await services.ledger.spendable(account)
  const tier = partner ? 'partner' : 'default'
  return {
    status: 200,
    json: {
      data: {
        accessPermitted: true,
        apiTier: { id: tier, isCharged: true },
        balances: { USD: toUsd(usd), ...(diemDaily > 0n && { DIEM: toUsd(diem) }) },
        keyExpiration: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
        nextEpochBegins: new Date((Math.floor(services.now() / dayMs) + 1) * dayMs).toISOString(),
        rateLimits: listLimits(services.catalogue, tier),
      },
    },
  }
}

const dayMs = 86_400_000

function listLimits(catalogue: Catalogue, tier: RateTier): ModelLimits[] {
  const toMinuteLimits = (apiModelId: string, rateClass: string): ModelLimits => ({
    apiModelId,
    rateLimits: [{ amount: findClassLimits(catalogue, rateClass, tier).requests, type: 'RPM' }],
  })
  const text = Object.values(catalogue.settings.tiers).flatMap((figures) =>
    figures.models.map((apiModelId) => ({
      apiModelId,
      rateLimits: [
        { amount: figures[tier].requests, type: 'RPM' },
        { amount: figures[tier].tokens, type: 'TPM' },
      ],
    })),
  )
  return [
    ...listRateClasses(catalogue).map(([id, rateClass]) => toMinuteLimits(id, rateClass)),
    ...text,
  ]
}

/** The latest limits that keys of the account reached, each with its class of operations. */
export const listRateLimitLogs: Handler<'listRateLimitLogs'> = async ({ caller, services }) => ({
  status: 200,
  json: { object: 'list', data: [...(await services.limitLog.latest(caller.account))] },
})
