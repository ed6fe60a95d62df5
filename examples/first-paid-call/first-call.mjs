import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { createFarebox } from 'farebox'

const wallet = privateKeySigner(generatePrivateKey()) // a new wallet
const farebox = createFarebox({ wallet }) // at FAREBOX_BASE_URL

const { amountCredited } = await farebox.topUp(5) // USD, one signature
console.log(`credited ${amountCredited} USD to ${wallet.address}`)

const file = new Blob(['Zone A to C: 2.40'])
const text = await farebox.parseText({ file, response_format: 'text' })
console.log('parsed:', text)

const { balanceUsd } = await farebox.balance()
console.log(`left: ${balanceUsd} USD`)
