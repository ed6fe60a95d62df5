import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { createFarebox } from 'farebox'

const wallet = privateKeySigner(generatePrivateKey()) // a wallet that nobody has seen before
const farebox = createFarebox({ baseUrl: process.env.FAREBOX_BASE_URL ?? 'http://127.0.0.1:4020/api/v1', wallet })

const { amountCredited } = await farebox.topUp(5) // one signature; the local service moves no money
console.log(`credited ${amountCredited} USD to ${wallet.address}`)

const text = await farebox.parseText({ file: new Blob(['Zone A to C: 2.40']), response_format: 'text' })
console.log('parsed:', text)

const { balanceUsd } = await farebox.balance()
console.log(`left: ${balanceUsd} USD`)
