import { pay } from '@farebox/auth'
import { privateKeySigner } from '@farebox/auth/keys'
import { withMiddleware } from '@farebox/middleware'
import OpenAI from 'openai'

const baseURL = process.env.FAREBOX_BASE_URL ?? ''
const signer = privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '')
const payment = pay(signer, {
  origin: baseURL,
  amountUsd: 5,
  maxUsdPerPayment: 5,
  maxUsdPerDay: 20,
})
const openai = new OpenAI({
  baseURL,
  apiKey: 'none: a top-up is paid',
  defaultHeaders: { authorization: null },
  fetch: withMiddleware(fetch, payment),
})
console.log(await openai.post('/x402/top-up'))
