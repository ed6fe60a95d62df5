import { privateKeySigner } from '@farebox/auth/keys'
import { createFarebox } from 'farebox'

const farebox = createFarebox({ wallet: privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '') })
const { balanceUsd } = await farebox.balance()
console.log(`${balanceUsd} USD`)
