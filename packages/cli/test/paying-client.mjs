// A client for `farebox verify-x402 --client`: pays the URL in X402_URL once, by `pay` of @farebox/auth.
import { pay } from '@farebox/auth'
import { privateKeySigner } from '@farebox/auth/keys'
import { withMiddleware } from '@farebox/middleware'

const url = process.env['X402_URL'] ?? ''
const paying = withMiddleware(
  fetch,
  pay(privateKeySigner(process.env['X402_PRIVATE_KEY'] ?? ''), {
    origin: url,
    maxUsdPerPayment: 10,
    maxUsdPerDay: 20,
    wait: async () => {},
  }),
)
const response = await paying(url, { method: 'POST' })
await response.arrayBuffer()
process.exitCode = response.ok ? 0 : 1
