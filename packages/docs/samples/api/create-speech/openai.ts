import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: process.env.FAREBOX_BASE_URL,
  apiKey: process.env.FAREBOX_API_KEY,
})
const speech = await openai.audio.speech.create({
  model: 'tts-kokoro',
  voice: 'af_sky',
  input: 'Two tickets to the harbour, please.',
  response_format: 'wav',
})
console.log(speech.headers.get('content-type'), (await speech.arrayBuffer()).byteLength > 10_000)
