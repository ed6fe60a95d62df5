import { createSiwxHeader } from '@farebox/auth'
import { privateKeySigner } from '@farebox/auth/keys'

const { origin, host } = new URL(process.env.FAREBOX_BASE_URL ?? 'http://127.0.0.1:4020/api/v1')
const signer = privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '')
console.log(
  await createSiwxHeader(signer, {
    domain: host,
    uri: origin,
    statement: 'Sign in to Farebox API',
  }),
)
