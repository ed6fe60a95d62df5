import { pay } from '@farebox/auth'
import { privateKeySigner } from '@farebox/auth/keys'
import { withMiddleware } from '@farebox/middleware'

const baseUrl = process.env.FAREBOX_BASE_URL ?? ''
const signer = privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '')
const payment = pay(signer, {
  origin: baseUrl,
  amountUsd: 5,
  maxUsdPerPayment: 5,
  maxUsdPerDay: 20,
})
const payingFetch = withMiddleware(fetch, payment) // 402, one signed payment, 200

const response = await payingFetch(`${baseUrl}/x402/top-up`, { method: 'POST' })
console.log(response.status, await response.json())
