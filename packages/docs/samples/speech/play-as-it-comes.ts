import { createFarebox } from 'farebox'

const farebox = createFarebox()
const controller = new AbortController()
const speech = await farebox.createSpeech(
  { input: 'One. Two. Three. Four. Five.', response_format: 'pcm', streaming: true },
  { signal: controller.signal }, // ends the stream at once, wherever it is
)

let bytes = 0
for await (const chunk of speech.body ?? []) bytes += chunk.byteLength // hand each chunk to a player
console.log(bytes % 2 === 0, bytes > 10_000) // samples of 16 bits, mono, 24 kHz
