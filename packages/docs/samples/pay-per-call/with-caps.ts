import { memoryPaymentStore, pay } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { createClient } from '@farebox/client'

const baseUrl = process.env.FAREBOX_BASE_URL ?? ''
const payment = pay(privateKeySigner(generatePrivateKey()), {
  origin: baseUrl,
  appliesTo: () => true, // any call with a price, and not only top-ups
  maxUsdPerPayment: 5,
  maxUsdPerDay: 10,
  store: memoryPaymentStore(), // leave it out to keep payments on disk
})
const client = createClient({ baseUrl, middleware: [payment] })

const response = await client.parseText({ file: new Blob(['Zone A to C: 2.40']) })
console.log(response.status, response.response.headers.get('x-balance-remaining'))
