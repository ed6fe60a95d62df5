import { pay, signIn } from '@farebox/auth'
import { privateKeySigner } from '@farebox/auth/keys'
import { withMiddleware } from '@farebox/middleware'
import { retry } from '@farebox/retry'
import OpenAI from 'openai'

const baseURL = process.env['FAREBOX_BASE_URL'] ?? 'http://127.0.0.1:4020/api/v1'
const signer = privateKeySigner(process.env['FAREBOX_PRIVATE_KEY'] ?? '')

// once: 5 USD, paid in USDC with one signature
const paying = withMiddleware(
  fetch,
  pay(signer, { origin: baseURL, maxUsdPerPayment: 5, maxUsdPerDay: 10 }),
)
await paying(`${baseURL}/x402/top-up`, { method: 'POST' })

const openai = new OpenAI({
  baseURL,
  fetch: withMiddleware(fetch, retry(), signIn(signer, { origin: baseURL })),
  apiKey: 'none: the wallet signs each request in',
  defaultHeaders: { authorization: null },
  maxRetries: 0, // retry() knows which requests are safe to send again
})
const speech = await openai.audio.speech.create({
  model: 'tts-kokoro',
  voice: 'af_sky',
  input: 'Two tickets, please.',
  response_format: 'wav',
})
console.log(`${(await speech.arrayBuffer()).byteLength} bytes of speech`)
