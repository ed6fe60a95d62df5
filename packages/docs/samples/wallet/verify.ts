import { createSiwxHeader } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { SiwxError, verifySiwxHeader } from '@farebox/auth/verify'

const usedNonces = new Set<string>() // in a database, with an atomic insert

/** Who sent this request? Gives the address, or the code of the rejection. */
async function nameCaller(header: string): Promise<string> {
  try {
    const { address, nonce } = await verifySiwxHeader(header, {
      domain: 'api.example.com',
      uri: 'https://api.example.com',
    })
    if (usedNonces.has(`${address} ${nonce}`)) return 'nonce_used'
    usedNonces.add(`${address} ${nonce}`)
    return address
  } catch (error) {
    if (error instanceof SiwxError) return error.code
    throw error
  }
}

const signer = privateKeySigner(generatePrivateKey())
const message = {
  domain: 'api.example.com',
  uri: 'https://api.example.com',
  statement: 'Sign in to Example API',
}
const header = await createSiwxHeader(signer, message)
console.log((await nameCaller(header)) === signer.address, await nameCaller(header))
console.log(
  await nameCaller(await createSiwxHeader(signer, { ...message, domain: 'elsewhere.example' })),
)
