import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: process.env.FAREBOX_BASE_URL,
  apiKey: process.env.FAREBOX_API_KEY,
})
const ids = []
for await (const { id } of openai.models.list()) ids.push(id)
console.log(ids.includes('tts-kokoro'))
