import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const { data, usage } = await farebox.createEmbedding({
  model: 'local-test-embedding',
  input: ['Tickets to the lake', 'Fares to the shore'],
})
console.log(data.length, usage.prompt_tokens)
