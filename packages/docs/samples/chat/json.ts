import { createFarebox } from 'farebox'

const fare = {
  type: 'object',
  properties: { zone: { enum: ['A', 'B', 'C'] }, usd: { type: 'number', minimum: 0 } },
  required: ['zone', 'usd'],
  additionalProperties: false,
}

const farebox = createFarebox()
const { choices } = await farebox.createChatCompletion({
  model: 'local-test-chat',
  messages: [{ role: 'user', content: 'What is the fare to the harbour?' }],
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'fare', schema: fare, strict: true },
  },
})
const { zone, usd } = JSON.parse(choices[0]?.message.content ?? '') as { zone: string; usd: number }
console.log(zone, usd)
