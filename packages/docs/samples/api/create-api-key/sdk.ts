import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const data = await farebox.createApiKey({
  apiKeyType: 'INFERENCE',
  description: 'Nightly summaries',
  consumptionLimit: { usd: 20 },
  limitPeriod: 'MONTH',
})
console.log(data.id) // data.apiKey is shown this once
