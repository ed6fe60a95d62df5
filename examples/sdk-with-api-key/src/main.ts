import { createFarebox, isFareboxError } from 'farebox'

// FAREBOX_BASE_URL names the service, and FAREBOX_API_KEY the key
const farebox = createFarebox()

try {
  const speech = await farebox.createSpeech({
    model: 'tts-kokoro',
    input: 'Two tickets to the harbor, please.',
    response_format: 'wav',
  })
  await speech.saveTo('tickets.wav')
  console.log('wrote tickets.wav')

  const { text, tokens } = await farebox.parseText({ file: { path: 'fares.txt' } })
  console.log(`${tokens} tokens: ${text.trim()}`)
} catch (error) {
  if (!isFareboxError(error)) throw error
  // what went wrong, and whether the service may have charged for it
  console.error(error.message, { code: error.code, mayHaveArrived: error.mayHaveArrived })
  process.exitCode = 1
}
