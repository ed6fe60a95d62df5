import { pay, PaymentError } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { withMiddleware } from '@farebox/middleware'

const baseUrl = process.env.FAREBOX_BASE_URL ?? ''
const payment = pay(privateKeySigner(generatePrivateKey()), {
  origin: baseUrl,
  amountUsd: 5,
  maxUsdPerPayment: 5,
  maxUsdPerDay: 8, // one payment of 5 fits, a second does not
})
const payingFetch = withMiddleware(fetch, payment)

for (const purchase of ['first', 'second']) {
  try {
    const response = await payingFetch(`${baseUrl}/x402/top-up`, { method: 'POST' })
    console.log(purchase, response.status)
  } catch (error) {
    if (!(error instanceof PaymentError)) throw error
    console.log(purchase, error.code, error.outcome) // over_daily_cap not_paid
  }
}
