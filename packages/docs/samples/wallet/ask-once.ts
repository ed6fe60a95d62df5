import { signIn } from '@farebox/auth'
import { privateKeySigner } from '@farebox/auth/keys'
import { createClient } from '@farebox/client'

const baseUrl = process.env.FAREBOX_BASE_URL ?? ''
const signer = privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '') // stands for a wallet that asks a person
const client = createClient({
  baseUrl,
  middleware: [signIn(signer, { origin: baseUrl, reuse: true })],
})

const response = await client.getBalance({ walletAddress: signer.address })
if (response.status === 200) console.log(response.data.data.balanceUsd)
