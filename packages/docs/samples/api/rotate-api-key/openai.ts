import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: process.env.FAREBOX_BASE_URL,
  apiKey: process.env.FAREBOX_API_KEY,
})
const { data } = await openai.post<{
  data: { id: string; apiKey: string; previousSecretUntil?: string }
}>(`/api_keys/${process.env.KEY_ID}/rotate`, { body: { graceSeconds: 3600 } })
console.log(data.id, data.previousSecretUntil) // data.apiKey is shown this once
