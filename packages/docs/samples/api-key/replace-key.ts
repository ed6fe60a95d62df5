import { createFarebox } from 'farebox'

const admin = createFarebox() // FAREBOX_API_KEY is an ADMIN key here
const { keys } = await admin.listApiKeys({ state: 'active' })
for (const { description, lastUsedAt, consumed } of keys)
  console.log(description, lastUsedAt ?? 'never used', `${consumed.usd} USD`)

const { id, apiKey: old } = await admin.createApiKey({
  apiKeyType: 'INFERENCE',
  description: 'Night bus',
})
await admin.changeApiKey({ id, consumptionLimit: { usd: 20 }, limitPeriod: 'MONTH' })
const { apiKey } = await admin.rotateApiKey({ id, graceSeconds: 3600 }) // the old secret works for an hour more
console.log(apiKey !== old)
const { state } = await admin.revokeApiKey({ id }) // at once, in every process
console.log(state)
