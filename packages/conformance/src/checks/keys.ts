import type { CreateApiKeyResponse, RateLimits } from '@farebox/types'
import type { Check, Subject } from '../check.js'
import { must, Skipped } from '../finding.js'

export const keys: readonly Check[] = [
  {
    id: 'keys.limits',
    title: 'a key sees its limits',
    rule: 'GET /api_keys/rate_limits',
    run: async (subject) => {
      const { data } = (await subject.probe.ask('getRateLimits', 200, { as: keyOf(subject) })).json as RateLimits
      must(data.accessPermitted, 'access for the key that was given', data.accessPermitted)
    },
  },
  {
    id: 'keys.limits-log',
    title: 'an ADMIN key sees when limits were reached, and no other',
    rule: 'a rate limit logs endpoint under /api_keys',
    run: async (subject) => void (await subject.probe.ask('listRateLimitLogs', [200, 401], { as: keyOf(subject) })),
  },
  {
    id: 'keys.create',
    title: 'an ADMIN key makes a key that works and ends within a minute',
    rule: 'POST /api_keys',
    run: async (subject) => {
      const { probe } = subject
      const as = keyOf(subject)
      if (subject.payer === undefined) throw new Skipped('it leaves a key behind, which ends after a minute', 'spendUsd')
      const json = {
        apiKeyType: 'INFERENCE',
        description: 'farebox verify',
        consumptionLimit: { usd: 0.01 },
        expiresAt: new Date(Date.now() + 60_000).toISOString(),
      }
      const answer = await probe.ask('createApiKey', [200, 401], { json, as })
      if (answer.status === 401) throw new Skipped('the key that was given may make none')
      const { data } = answer.json as CreateApiKeyResponse
      must(data.apiKeyType === 'INFERENCE', 'the type INFERENCE', data.apiKeyType)
      await probe.ask('getRateLimits', 200, { as: { kind: 'key', key: data.apiKey } })
      await probe.ask('createApiKey', 400, { json: { ...json, description: 'x'.repeat(65) }, as })
    },
  },
]

function keyOf({ apiKey }: Subject) {
  if (apiKey === undefined) throw new Skipped('it needs an API key', 'apiKey')
  return { kind: 'key' as const, key: apiKey }
}
