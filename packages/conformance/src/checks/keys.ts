import type {
  ApiKeyList,
  ApiKeyResponse,
  CreateApiKeyResponse,
  RateLimits,
  RotateApiKeyResponse,
} from '@farebox/types'
import type { Check, Subject } from '../subject.js'
import { must, SkipError } from '../check.js'

export const keys: readonly Check[] = [
  {
    id: 'keys.limits',
    title: 'a key sees its limits',
    rule: 'GET /api_keys/rate_limits',
    run: async (subject) => {
      const { data } = (await subject.probe.call('getRateLimits', 200, { as: requireKey(subject) }))
        .json as RateLimits
      must(data.accessPermitted, 'access for the given key', data.accessPermitted)
    },
  },
  {
    id: 'keys.limits-log',
    title: 'only an ADMIN key sees when limits were reached',
    rule: 'a rate limit logs endpoint under /api_keys',
    run: async (subject) =>
      void (await subject.probe.call('listRateLimitLogs', [200, 401], { as: requireKey(subject) })),
  },
  {
    id: 'keys.create',
    title: 'an ADMIN key creates a key that works and expires within a minute',
    rule: 'POST /api_keys',
    run: async (subject) => {
      const { probe } = subject
      const as = requireKey(subject)
      const json = createShortLivedKey()
      const data = await createKey(subject, json)
      must(data.apiKeyType === 'INFERENCE', 'the type INFERENCE', data.apiKeyType)
      await probe.call('getRateLimits', 200, { as: { kind: 'key', key: data.apiKey } })
      await probe.call('createApiKey', 400, { json: { ...json, description: 'x'.repeat(65) }, as })
    },
  },
  {
    id: 'keys.life',
    title: 'the key that created a key lists, reads, changes, rotates and revokes it',
    rule: 'GET, PATCH and DELETE /api_keys/{id} (provisional)',
    run: async (subject) => {
      const { probe } = subject
      const as = requireKey(subject)
      const { id, apiKey } = await createKey(subject, createShortLivedKey())
      const path = { id }
      const { keys } = (
        (await probe.call('listApiKeys', 200, { as, query: { limit: 100 } })).json as ApiKeyList
      ).data
      must(
        keys.some((one) => one.id === id),
        `the key ${id} in the list`,
        keys.map((one) => one.id),
      )
      const changed = (
        await probe.call('changeApiKey', 200, {
          as,
          path,
          json: { consumptionLimit: { usd: 0.02 } },
        })
      ).json as ApiKeyResponse
      must(
        changed.data.consumptionLimit.usd === 0.02,
        'the limit that was set, 0.02 USD',
        changed.data.consumptionLimit,
      )
      const { data } = (await probe.call('rotateApiKey', 200, { as, path, json: {} }))
        .json as RotateApiKeyResponse
      const works = (key: string, status: number) =>
        probe.call('getRateLimits', status, { as: { kind: 'key', key } })
      await works(apiKey, 401)
      await works(data.apiKey, 200)
      await probe.call('revokeApiKey', 200, { as, path })
      await works(data.apiKey, 401)
      const { state } = ((await probe.call('getApiKey', 200, { as, path })).json as ApiKeyResponse)
        .data
      must(state === 'revoked', 'the state revoked', state)
    },
  },
]

function createShortLivedKey() {
  return {
    apiKeyType: 'INFERENCE',
    description: 'farebox verify',
    consumptionLimit: { usd: 0.01 },
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  }
}

async function createKey(subject: Subject, json: ReturnType<typeof createShortLivedKey>) {
  const as = requireKey(subject)
  if (subject.payer === undefined)
    throw new SkipError('it leaves a key behind, which expires after a minute', 'spendUsd')
  const response = await subject.probe.call('createApiKey', [200, 401], { json, as })
  if (response.status === 401) throw new SkipError('the given key may not create keys')
  return (response.json as CreateApiKeyResponse).data
}

function requireKey({ apiKey }: Subject) {
  if (apiKey === undefined) throw new SkipError('it needs an API key', 'apiKey')
  return { kind: 'key' as const, key: apiKey }
}
