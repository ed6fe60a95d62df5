import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { createFarebox } from 'farebox'

const farebox = createFarebox({
  wallet: privateKeySigner(generatePrivateKey()), // has nothing yet
  payments: { topUp: { amountUsd: 5, maxUsdPerDay: 10 } },
  onEvent: (event) => event.type === 'top-up' && console.log(`topped up ${event.amountUsd} USD`),
})

// responded with 402, topped up, sent again
console.log(
  await farebox.parseText({ file: new Blob(['Zone A to C: 2.40']), response_format: 'text' }),
)
