import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const transcript = await farebox.createTranscription({
  file: { path: 'voice.wav' },
  model: 'local-test-transcription',
  response_format: 'vtt',
})
console.log(transcript)
