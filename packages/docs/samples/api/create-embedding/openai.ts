import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: process.env.FAREBOX_BASE_URL,
  apiKey: process.env.FAREBOX_API_KEY,
})
const { data } = await openai.embeddings.create({
  model: 'local-test-embedding',
  input: ['Tickets to the lake', 'Fares to the shore'],
})
console.log(data.map(({ embedding }) => embedding.length))
