import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const data = await farebox.listRateLimitLogs()
for (const { timestamp, modelId, rateLimitType } of data)
  console.log(timestamp, modelId, rateLimitType)
console.log(`${data.length} limits reached`)
