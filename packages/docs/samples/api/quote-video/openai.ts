import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: process.env.FAREBOX_BASE_URL,
  apiKey: process.env.FAREBOX_API_KEY,
})
const body = { model: 'local-test-clip', duration: '5s', resolution: '720p' }
console.log(await openai.post('/video/quote', { body })) // { quote: 0.005 }
