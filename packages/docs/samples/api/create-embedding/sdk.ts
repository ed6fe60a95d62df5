import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const embeddings = await farebox.createEmbedding({
  model: 'local-test-embedding',
  input: ['Tickets to the lake', 'Fares to the shore'],
})
console.log(embeddings.length)
