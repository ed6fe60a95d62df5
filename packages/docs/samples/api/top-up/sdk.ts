import { privateKeySigner } from '@farebox/auth/keys'
import { createFarebox } from 'farebox'

const farebox = createFarebox({ wallet: privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '') })
const { amountCredited, newBalance } = await farebox.topUp(5)
console.log(`credited ${amountCredited} USD, balance ${newBalance} USD`)
