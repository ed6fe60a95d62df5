import type { RateLimits } from '@farebox/types'
import type { Handler } from '../contract/handler.js'
import { toUsd } from '../domain/ledger/money.js'
import { classLimits, type Catalogue, type RateTier } from '../domain/models/catalogue.js'

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
  const perMinute = (apiModelId: string, rateClass: string): ModelLimits => ({
    apiModelId,
    rateLimits: [{ amount: classLimits(catalogue, rateClass, tier).requests, type: 'RPM' }],
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
    ...[...catalogue.speechModels.keys()].map((id) => perMinute(id, 'audio')),
    ...[...catalogue.videoModels.keys()].map((id) => perMinute(id, 'videoQueue')),
    ...[...catalogue.imageModels.keys()].map((id) => perMinute(id, 'image')),
    ...[...catalogue.embeddingModels.keys()].map((id) => perMinute(id, 'embedding')),
    ...[...catalogue.transcriptionModels.keys()].map((id) => perMinute(id, 'audio')),
    ...text,
  ]
}

/** The latest limits that keys of the account reached, each with its class of operations. */
export const listRateLimitLogs: Handler<'listRateLimitLogs'> = async ({ caller, services }) => ({
  status: 200,
  json: { object: 'list', data: [...(await services.limitLog.latest(caller.account))] },
})
