import { createFarebox } from 'farebox'

const admin = createFarebox() // FAREBOX_API_KEY is an ADMIN key here
const data = await admin.createApiKey({
  apiKeyType: 'INFERENCE',
  description: 'Nightly summaries',
  consumptionLimit: { usd: 20 },
  limitPeriod: 'MONTH',
  expiresAt: new Date(Date.now() + 90 * 86_400_000).toISOString(),
})
console.log(data.id, data.apiKeyType, data.limitPeriod) // data.apiKey is the secret; no other response contains it
