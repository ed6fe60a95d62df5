import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: process.env.FAREBOX_BASE_URL,
  apiKey: process.env.FAREBOX_API_KEY,
})
const body = { model: 'local-test-clip', prompt: 'A quiet harbour at dawn', duration: '2s' }
const { queue_id } = await openai.post<{ queue_id: string }>('/video/queue', { body })
console.log(queue_id)
