import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const model = 'tts-chatterbox-hd'
const { id } = await farebox.createVoice({ file: { path: 'voice.wav' }, model })
const speech = await farebox.createSpeech({
  input: 'It is my own voice that sells tickets.',
  model,
  voice: id,
})
console.log(id, speech.headers.get('content-type'))
