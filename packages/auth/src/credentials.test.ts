import type { Call, Send } from '@farebox/middleware'
import { expect, test } from 'vitest'
import { bearer } from './api-key.js'
import { memoryPaymentStore } from './payment/payment-store.js'
import { pay } from './payment/pay.js'
import { generatePrivateKey, privateKeySigner } from './keys.js'
import { signIn } from './sign-in/sign-in.js'

const signer = privateKeySigner(generatePrivateKey())
const caps = { maxUsdPerPayment: 5, maxUsdPerDay: 5, store: memoryPaymentStore() }
const makers = [
  (origin: string, allowInsecureHttp?: boolean) =>
    bearer('key', { origin, ...(allowInsecureHttp && { allowInsecureHttp }) }),
  (origin: string, allowInsecureHttp?: boolean) =>
    signIn(signer, { origin, ...(allowInsecureHttp && { allowInsecureHttp }) }),
  (origin: string, allowInsecureHttp?: boolean) =>
    pay(signer, { origin, ...caps, ...(allowInsecureHttp && { allowInsecureHttp }) }),
]

test.each([
  'http://api.example',
  'http://api.example:443/api/v1',
  'http://192.168.1.20:4020',
  'http://0.0.0.0:4020',
  'http://127.0.0.1.example',
  'http://127.example',
  'http://localhost.example',
  'http://notlocalhost',
  'http://[::2]:4020',
  'http://127.0.0.1@api.example',
])('%s receives credentials only with allowInsecureHttp', (origin) => {
  for (const make of makers) {
    expect(() => make(origin)).toThrow(
      expect.objectContaining({ name: 'AuthError', code: 'insecure_origin' }) as Error,
    )
    expect(make(origin, true)).toBeTypeOf('function')
  }
})

test.each([
  'https://api.example',
  'http://localhost:4020',
  'http://api.localhost',
  'http://127.0.0.1:4020/api/v1',
  'http://127.8.9.1',
  'http://[::1]:4020',
])('%s receives credentials', (origin) => {
  for (const make of makers) expect(make(origin)).toBeTypeOf('function')
})

test('a key without an origin is not sent to another machine by plain HTTP', async () => {
  const sent: (string | null)[] = []
  const send: Send = async ({ headers }) => (
    sent.push(headers.get('authorization')),
    new Response()
  )
  const call = (url: string): Call => ({ url, method: 'GET', headers: new Headers() })
  await expect(bearer('key')(send)(call('http://api.example/'))).rejects.toMatchObject({
    code: 'insecure_origin',
  })
  for (const url of ['https://api.example/', 'http://127.0.0.1/', '/api/v1/models'])
    await bearer('key')(send)(call(url))
  await bearer('key', { allowInsecureHttp: true })(send)(call('http://api.example/'))
  expect(sent).toEqual(Array.from({ length: 4 }, () => 'Bearer key'))
})

test('the error of a redirect contains neither the user info nor the query of the URL', async () => {
  const send: Send = async () => new Response(null, { status: 307 })
  const url = 'https://user:password@api.example/api/v1/models?token=secret#fragment'
  await expect(
    bearer('key')(send)({ url, method: 'GET', headers: new Headers() }),
  ).rejects.toMatchObject({
    message:
      'GET https://api.example/api/v1/models redirects; credentials do not follow; use the final URL',
  })
})
