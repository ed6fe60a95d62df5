import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: process.env.FAREBOX_BASE_URL,
  apiKey: process.env.FAREBOX_API_KEY,
})
const { data } = await openai.patch<{ data: { consumptionLimit: { usd?: number } } }>(
  `/api_keys/${process.env.KEY_ID}`,
  {
    body: { consumptionLimit: { usd: 50 }, limitPeriod: 'MONTH' },
  },
)
console.log(data.consumptionLimit.usd)
