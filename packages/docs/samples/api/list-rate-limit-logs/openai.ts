import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: process.env.FAREBOX_BASE_URL,
  apiKey: process.env.FAREBOX_API_KEY,
})
console.log(await openai.get('/api_keys/rate_limits/log'))
