import { privateKeySigner } from '@farebox/auth/keys'
import { createFarebox } from 'farebox'

const farebox = createFarebox({ wallet: privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '') })
for await (const { createdAt, type, amount, balanceAfter } of farebox.transactions()) {
  console.log(createdAt, type, amount, balanceAfter)
}
