import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const data = await farebox.changeApiKey({
  id: process.env.KEY_ID ?? '',
  consumptionLimit: { usd: 50 },
  limitPeriod: 'MONTH',
})
console.log(data.consumptionLimit.usd)
