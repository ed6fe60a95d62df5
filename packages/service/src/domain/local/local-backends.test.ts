import { expect, it } from 'vitest'
import { NoLocalBackendsError, createLocalSpeech } from './local-backends.js'

const request = {
  text: 'Hello.',
  caller: 'a',
  model: 'tts-kokoro',
  voice: 'af_sky',
  format: 'pcm',
  speed: 1,
  streaming: false,
} as const

it('tells the operator what to install, and the caller that the model is not there', async () => {
  const speech = createLocalSpeech(async () => {
    throw new NoLocalBackendsError(new Error("Cannot find package '@farebox/local-backends'"))
  })
  const fault = {
    name: 'SpeechError',
    code: 'busy',
    message: 'The model is not available on this service.',
    trouble: expect.stringContaining('npm install @farebox/local-backends') as unknown,
  }
  await expect(speech.rejectLate?.(request)).rejects.toMatchObject(fault)
  const spoken = speech.speak(request, new AbortController().signal)[Symbol.asyncIterator]()
  await expect(spoken.next()).rejects.toMatchObject(fault)
  await speech.ready?.()
  await speech.close()
})
