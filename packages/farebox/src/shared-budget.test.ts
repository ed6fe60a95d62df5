import { expect, it } from 'vitest'
import type { WalletSigner } from '@farebox/auth'
import { memoryLimitStore } from '@farebox/retry'
import { createFarebox } from './farebox.js'
import { FareboxError } from './error.js'

const baseUrl = 'https://api.example.test/api/v1'
const createFailing = () => {
  let sends = 0
  const fetch = async () => (
    sends++,
    Response.json({ error: 'There is no such model.' }, { status: 404 })
  )
  return { fetch, sends: () => sends }
}
const callTwentyTimes = async (options: Parameters<typeof createFarebox>[0]) => {
  const farebox = createFarebox({ baseUrl, retry: false, ...options })
  for (let time = 0; time < 20; time++)
    await farebox.getModel({ id: 'none' }).catch(() => undefined)
}

it('objects with the same origin, key and fetch share the failure budget', async () => {
  const { fetch, sends } = createFailing()
  await callTwentyTimes({ apiKey: 'key-1', fetch })
  await callTwentyTimes({
    apiKey: 'key-1',
    fetch,
    baseUrl: 'https://api.example.test/other/api/v1',
  })
  expect(sends()).toBe(18)
})

it('objects with another key, origin or fetch have their own budget', async () => {
  const { fetch, sends } = createFailing()
  const other = createFailing()
  await callTwentyTimes({ apiKey: 'key-2', fetch })
  await callTwentyTimes({ apiKey: 'key-3', fetch })
  await callTwentyTimes({ apiKey: 'key-2', fetch, baseUrl: 'http://127.0.0.1:4020/api/v1' })
  await callTwentyTimes({ apiKey: 'key-2', fetch: other.fetch })
  expect([sends(), other.sends()]).toEqual([54, 18])
})

it('objects with the same key function share, and so do objects with the same wallet address in any case', async () => {
  const { fetch, sends } = createFailing()
  const apiKey = () => 'key-4'
  await callTwentyTimes({ apiKey, fetch })
  await callTwentyTimes({ apiKey, fetch })
  expect(sends()).toBe(18)
  const createWallet = (address: string): WalletSigner => ({
    kind: 'evm',
    address,
    sign: async () => `0x${'1'.repeat(130)}`,
  })
  const own = createFailing()
  const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  await callTwentyTimes({ wallet: createWallet(address), fetch: own.fetch })
  const before = own.sends()
  await callTwentyTimes({ wallet: createWallet(address.toLowerCase()), fetch: own.fetch })
  expect(own.sends()).toBe(before)
})

it('objects with the same store share the failure budget, whatever their fetch, and the store holds no key', async () => {
  const [one, other] = [createFailing(), createFailing()]
  const near = memoryLimitStore()
  const keys = new Set<string>()
  const limitStore: typeof near = {
    update: async (key, ...rest) => (keys.add(key), near.update(key, ...rest)),
  }
  await callTwentyTimes({ apiKey: 'planted-secret', fetch: one.fetch, limitStore })
  await callTwentyTimes({ apiKey: 'planted-secret', fetch: other.fetch, limitStore })
  expect(one.sends() + other.sends()).toBe(18)
  expect([...keys].join()).not.toContain('planted')
})

it('a limitStore needs a key that other processes can compare', () => {
  expect(() =>
    createFarebox({ baseUrl, apiKey: () => 'key-5', limitStore: memoryLimitStore() }),
  ).toThrow(FareboxError)
})
