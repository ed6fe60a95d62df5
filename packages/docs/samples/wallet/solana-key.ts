import { solanaKeySigner } from '@farebox/auth/keys'
import { createFarebox } from 'farebox'

const secret = crypto.getRandomValues(new Uint8Array(32)) // or the 64 bytes of a key file, or either in base58
const wallet = solanaKeySigner(secret)
const farebox = createFarebox({ wallet })
console.log(wallet.kind, (await farebox.balance()).balanceUsd)
