import { signIn } from '@farebox/auth'
import { privateKeySigner } from '@farebox/auth/keys'
import { withMiddleware } from '@farebox/middleware'
import { failureBudget, rateLimit, retry } from '@farebox/retry'
import OpenAI from 'openai'

const baseURL = process.env.FAREBOX_BASE_URL ?? ''
const signer = privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '')

const openai = new OpenAI({
  baseURL,
  apiKey: 'none: the wallet signs each request in',
  defaultHeaders: { authorization: null },
  maxRetries: 0, // ours repeats, by the rules of this service
  fetch: withMiddleware(
    fetch,
    retry(),
    rateLimit(),
    failureBudget(),
    signIn(signer, { origin: baseURL }),
  ),
})

const speech = await openai.audio.speech.create({
  model: 'tts-kokoro',
  voice: 'af_sky',
  input: 'Two tickets, please.',
})
console.log(speech.headers.get('content-type'), (await speech.arrayBuffer()).byteLength > 5_000)
