import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: process.env.FAREBOX_BASE_URL,
  apiKey: process.env.FAREBOX_API_KEY,
})
const stream = await openai.chat.completions.create({
  model: 'local-test-chat',
  messages: [{ role: 'user', content: 'Where is the harbour?' }],
  stream: true,
})
let text = ''
for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
console.log(text)
