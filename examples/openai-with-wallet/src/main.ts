import { writeFile } from 'node:fs/promises'
import { pay, signIn } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { withMiddleware } from '@farebox/middleware'
import { retry } from '@farebox/retry'
import OpenAI from 'openai'

const origin = process.env['FAREBOX_BASE_URL'] ?? 'http://127.0.0.1:4020/api/v1'
const signer = privateKeySigner(process.env['FAREBOX_PRIVATE_KEY'] ?? generatePrivateKey())

// buys 5 USD of credit: the 402 of the top-up is paid with one signature
const caps = { maxUsdPerPayment: 5, maxUsdPerDay: 10 }
const topUp = withMiddleware(fetch, pay(signer, { origin, ...caps }))
const { status } = await topUp(`${origin}/x402/top-up`, { method: 'POST' })
console.log(`topped up ${signer.address}: ${status}`)

// signs in each request with the wallet
const openai = new OpenAI({
  baseURL: origin,
  fetch: withMiddleware(fetch, retry(), signIn(signer, { origin })),
  apiKey: 'none: the wallet signs in',
  defaultHeaders: { authorization: null },
  maxRetries: 0, // retry() knows which requests are safe to repeat
})
const speech = await openai.audio.speech.create({
  model: 'tts-kokoro',
  voice: 'af_sky',
  input: 'Two tickets to the harbor, please.',
  response_format: 'wav',
})
await writeFile('tickets.wav', new Uint8Array(await speech.arrayBuffer()))
console.log('wrote tickets.wav')
