import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: process.env.FAREBOX_BASE_URL,
  apiKey: process.env.FAREBOX_API_KEY,
})
const { data } = await openai.get<{ data: { keys: { id: string; state: string }[] } }>(
  '/api_keys?state=active',
)
for (const { id, state } of data.keys) console.log(id, state)
