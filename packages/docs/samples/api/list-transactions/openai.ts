import { signIn } from '@farebox/auth'
import { privateKeySigner } from '@farebox/auth/keys'
import { withMiddleware } from '@farebox/middleware'
import OpenAI from 'openai'

const baseURL = process.env.FAREBOX_BASE_URL ?? ''
const signer = privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '')
const signedIn = withMiddleware(fetch, signIn(signer, { origin: baseURL }))
const openai = new OpenAI({
  baseURL,
  apiKey: 'none: the wallet signs in',
  defaultHeaders: { authorization: null },
  fetch: signedIn,
})
console.log(await openai.get(`/x402/transactions/${signer.address}`, { query: { limit: 10 } }))
