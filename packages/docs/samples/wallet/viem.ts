import { evmSigner } from '@farebox/auth'
import { createFarebox } from 'farebox'
import { privateKeyToAccount } from 'viem/accounts'

const account = privateKeyToAccount(process.env.FAREBOX_PRIVATE_KEY as `0x${string}`)
const farebox = createFarebox({ wallet: evmSigner(account) })
console.log((await farebox.balance()).balanceUsd)
