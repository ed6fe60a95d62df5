import { privateKeySigner } from '@farebox/auth/keys'
import { createFarebox, isFareboxError } from 'farebox'

const wallet = privateKeySigner(process.env['FAREBOX_PRIVATE_KEY'] ?? '')
const farebox = createFarebox({
  baseUrl: process.env['FAREBOX_BASE_URL'] ?? 'http://127.0.0.1:4020/api/v1',
  wallet,
})
const parse = () =>
  farebox.parseText({
    file: { path: 'packages/service/fixtures/fare-table.pdf' },
    response_format: 'text',
  })

const text = await parse().catch(async (error: unknown) => {
  if (!isFareboxError(error, 'parseText', 402)) throw error
  await farebox.topUp(5) // USD, paid in USDC with one signature of the wallet
  return parse()
})
console.log(text)
