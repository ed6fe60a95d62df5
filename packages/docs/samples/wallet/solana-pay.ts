import { pay } from '@farebox/auth'
import { solanaPaymentSigner } from '@farebox/auth/solana'
import { withMiddleware } from '@farebox/middleware'

const origin = process.env.FAREBOX_BASE_URL ?? ''
const secret = crypto.getRandomValues(new Uint8Array(32)) // the 32 or 64 bytes of a wallet that holds USDC
const payment = pay(solanaPaymentSigner(secret), {
  origin,
  amountUsd: 5,
  maxUsdPerPayment: 5,
  maxUsdPerDay: 10,
})

const response = await withMiddleware(fetch, payment)(`${origin}/x402/top-up`, { method: 'POST' })
console.log(response.status) // 200: a local service believes what is signed, on Base and on Solana
