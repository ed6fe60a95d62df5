import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { createFarebox } from 'farebox'

const farebox = createFarebox()
const speech = await farebox.createSpeech({
  input: 'The harbour line leaves at eight. The airport line leaves at nine. Mind the gap.',
  response_format: 'mp3',
  streaming: true, // sentence by sentence, as it is made
})
await pipeline(Readable.fromWeb(speech.body as ReadableStream), createWriteStream('announcement.mp3'))
console.log(speech.headers.get('content-type'), speech.headers.get('x-farebox-backend'))
