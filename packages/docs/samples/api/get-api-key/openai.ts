import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: process.env.FAREBOX_BASE_URL,
  apiKey: process.env.FAREBOX_API_KEY,
})
const { data } = await openai.get<{ data: { state: string; consumed: { usd: number } } }>(
  `/api_keys/${process.env.KEY_ID}`,
)
console.log(data.state, data.consumed.usd)
