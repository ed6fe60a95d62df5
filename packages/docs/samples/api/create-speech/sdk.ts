import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const speech = await farebox.createSpeech({
  input: 'Two tickets to the harbour, please.',
  response_format: 'wav',
})
console.log(speech.headers.get('content-type'), (await speech.arrayBuffer()).byteLength > 10_000)
