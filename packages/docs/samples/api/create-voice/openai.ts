import { openAsBlob } from 'node:fs'
import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: process.env.FAREBOX_BASE_URL,
  apiKey: process.env.FAREBOX_API_KEY,
})
const body = new FormData()
body.set('file', await openAsBlob('voice.wav'), 'voice.wav')
body.set('model', 'tts-chatterbox-hd')
console.log(await openai.post('/audio/voices', { body })) // { id: 'vv_...', model: 'tts-chatterbox-hd', ... }
