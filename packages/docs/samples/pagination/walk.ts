import { privateKeySigner } from '@farebox/auth/keys'
import { createFarebox } from 'farebox'

const farebox = createFarebox({ wallet: privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '') })

for await (const { type, amount, balanceAfter } of farebox.transactions()) {
  console.log(type, amount, balanceAfter)
  if (type === 'TOP_UP') break // no further page is read
}
