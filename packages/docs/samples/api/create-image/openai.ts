import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: process.env.FAREBOX_BASE_URL,
  apiKey: process.env.FAREBOX_API_KEY,
})
const { data } = await openai.images.generate({
  model: 'local-test-image',
  prompt: 'A paper ticket',
  size: '256x256',
  response_format: 'url',
})
console.log(data?.[0]?.url)
