import { createSiwxHeader } from '@farebox/auth'
import { privateKeySigner } from '@farebox/auth/keys'

const { origin, host } = new URL(process.env.FAREBOX_BASE_URL ?? '')
const signer = privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '')
const signIn = await createSiwxHeader(signer, {
  domain: host,
  uri: origin,
  statement: 'Sign in to Farebox API',
})

const response = await fetch(`${origin}/api/v1/x402/balance/${signer.address}`, {
  headers: { 'sign-in-with-x': signIn },
})
console.log(response.status, await response.json())
