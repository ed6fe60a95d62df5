import { privateKeySigner } from '@farebox/auth/keys'
import { createFarebox } from 'farebox'

const wallet = privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '') // 0x and 64 hex digits
const farebox = createFarebox({ wallet })
console.log(wallet.address, (await farebox.balance()).balanceUsd)
