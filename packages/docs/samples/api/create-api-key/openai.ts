import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: process.env.FAREBOX_BASE_URL,
  apiKey: process.env.FAREBOX_API_KEY,
})
const body = {
  apiKeyType: 'INFERENCE',
  description: 'Nightly summaries',
  consumptionLimit: { usd: 20 },
  limitPeriod: 'MONTH',
}
const { data } = await openai.post<{ data: { id: string; apiKey: string } }>('/api_keys', { body })
console.log(data.id) // data.apiKey is shown this once
