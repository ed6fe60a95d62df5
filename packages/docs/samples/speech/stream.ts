import { createFarebox } from 'farebox'

const farebox = createFarebox()
const speech = await farebox.createSpeech({
  input: 'The harbour line leaves at eight. The airport line leaves at nine. Mind the gap.',
  response_format: 'mp3',
  streaming: true, // sentence by sentence, as it is made
})
await speech.saveTo('announcement.mp3')
console.log(speech.headers.get('content-type'), speech.headers.get('x-farebox-backend'))
