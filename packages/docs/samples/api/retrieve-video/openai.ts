import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: process.env.FAREBOX_BASE_URL,
  apiKey: process.env.FAREBOX_API_KEY,
})
// JSON while it is worked on, the file once it is there
const body = { model: 'local-test-clip', queue_id: process.env.QUEUE_ID }
const response = await openai.post('/video/retrieve', { body }).asResponse()
console.log(response.headers.get('content-type'), (await response.arrayBuffer()).byteLength > 5_000)
