import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: process.env.FAREBOX_BASE_URL,
  apiKey: process.env.FAREBOX_API_KEY,
})
for await (const { id } of openai.models.list({ query: { type: 'tts' } })) console.log(id)
