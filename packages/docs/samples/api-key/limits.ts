import { createFarebox } from 'farebox'

const farebox = createFarebox()
const data = await farebox.getRateLimits()
console.log(`${data.balances.USD} USD left`)
for (const { apiModelId, rateLimits } of data.rateLimits.slice(0, 3)) {
  for (const { amount, type } of rateLimits) console.log(`${apiModelId}: ${amount} ${type}`)
}
