import type { RateLimits } from '@farebox/types'
import { rateLimits } from '@farebox/types/operations'
import { requestsOf, type RateTier } from '../domain/limits/quota.js'
import { toUsd } from '../domain/ledger/money.js'
import { speechModels } from '../domain/models/speech-models.js'
import { videoModels } from '../domain/models/video-models.js'
import type { Handler } from '../contract/handler.js'

type ModelLimits = RateLimits['data']['rateLimits'][number]

/** The limits and balances of the key and its account. */
export const getRateLimits: Handler<'getRateLimits'> = async ({ caller: { account, partner, expiresAt }, services }) => {
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
        rateLimits: limitsOf(tier),
      },
    },
  }
}

const dayMs = 86_400_000

function limitsOf(tier: RateTier): ModelLimits[] {
  const perMinute = (apiModelId: string, rateClass: string): ModelLimits => ({
    apiModelId,
    rateLimits: [{ amount: requestsOf(rateClass, tier), type: 'RPM' }],
  })
  const text = Object.values(rateLimits.tiers).flatMap((figures) =>
    figures.models.map((apiModelId) => ({
      apiModelId,
      rateLimits: [
        { amount: figures[tier].requests, type: 'RPM' },
        { amount: figures[tier].tokens, type: 'TPM' },
      ],
    })),
  )
  return [
    ...[...speechModels.keys()].map((id) => perMinute(id, 'audio')),
    ...[...videoModels.keys()].map((id) => perMinute(id, 'videoQueue')),
    ...text,
  ]
}
