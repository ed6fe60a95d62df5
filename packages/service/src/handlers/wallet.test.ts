import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generatePrivateKey, privateKeySigner, solanaKeySigner } from '@farebox/auth/keys'
import { createSiwxHeader } from '@farebox/auth'
import { charge } from '../../test/charge.js'
import { adminKey, createWallet, origin, startService, type Harness } from '../../test/harness.js'

let farebox: Harness
beforeAll(async () => void (farebox = await startService()))
afterAll(() => farebox.service.close())

describe('getBalance', () => {
  it('returns the credit of the wallet that signed in', async () => {
    const wallet = await farebox.richWallet(4.2)
    const response = await farebox.call('getBalance', `/x402/balance/${wallet.address}`, {
      headers: await farebox.signIn(wallet),
    })
    expect([response.status, response.json]).toEqual([
      200,
      {
        success: true,
        data: {
          walletAddress: wallet.address,
          balanceUsd: 4.2,
          canConsume: true,
          minimumTopUpUsd: 5,
          suggestedTopUpUsd: 10,
        },
      },
    ])
  })

  it('returns 0 for a wallet that never paid', async () => {
    const wallet = createWallet()
    const response = await farebox.call('getBalance', `/x402/balance/${wallet.address}`, {
      headers: await farebox.signIn(wallet),
    })
    expect(response.json).toMatchObject({ data: { balanceUsd: 0, canConsume: false } })
  })

  it('accepts the address in any case, and returns its checksum form', async () => {
    const wallet = createWallet()
    const path = `/x402/balance/${wallet.address.toLowerCase()}`
    const response = await farebox.call('getBalance', path, {
      headers: await farebox.signIn(wallet),
    })
    expect(response.json).toMatchObject({ data: { walletAddress: wallet.address } })
  })

  it('accepts the former name of the header', async () => {
    const wallet = createWallet()
    const { 'sign-in-with-x': value = '' } = await farebox.signIn(wallet)
    const path = `/x402/balance/${wallet.address}`
    expect(
      (await farebox.call('getBalance', path, { headers: { 'X-Sign-In-With-X': value } })).status,
    ).toBe(200)
  })

  it('accepts a Solana wallet, whose address is case-sensitive', async () => {
    const wallet = solanaKeySigner(crypto.getRandomValues(new Uint8Array(32)))
    const sign = () =>
      createSiwxHeader(wallet, {
        domain: '127.0.0.1:4020',
        uri: origin,
        statement: 'Sign in to Farebox API',
        now: () => farebox.clock.time,
      })
    const response = await farebox.call('getBalance', `/x402/balance/${wallet.address}`, {
      headers: { 'sign-in-with-x': await sign() },
    })
    expect(response.json).toMatchObject({ data: { walletAddress: wallet.address, balanceUsd: 0 } })
  })

  it('is 403 for another wallet', async () => {
    const response = await farebox.call('getBalance', `/x402/balance/${createWallet().address}`, {
      headers: await farebox.signIn(createWallet()),
    })
    expect([response.status, response.json['code']]).toEqual([403, 'X402_WALLET_MISMATCH'])
  })

  it('is 401 without a sign-in, and with only an API key', async () => {
    const path = `/x402/balance/${createWallet().address}`
    expect((await farebox.call('getBalance', path)).json['code']).toBe('X402_SIGN_IN_MISSING')
    expect(
      (await farebox.call('getBalance', path, { headers: { authorization: `Bearer ${adminKey}` } }))
        .status,
    ).toBe(401)
  })

  it('is 400 for an invalid address', async () => {
    const response = await farebox.call('getBalance', '/x402/balance/0x12', {
      headers: await farebox.signIn(createWallet()),
    })
    expect(response.json).toMatchObject({
      details: { walletAddress: { _errors: [expect.any(String)] } },
    })
    expect(response.status).toBe(400)
  })
})

describe('sign-in', () => {
  const code = async (headers: Readonly<Record<string, string>>, address: string) =>
    (
      await farebox.call('getBalance', `/x402/balance/${address}`, {
        headers,
        from: createWallet().address,
      })
    ).json['code']

  it('accepts a message once', async () => {
    const wallet = createWallet()
    const headers = await farebox.signIn(wallet)
    expect(await code(headers, wallet.address)).toBeUndefined()
    expect(await code(headers, wallet.address)).toBe('X402_SIGN_IN_NONCE_REUSED')
  })

  it('accepts one of ten concurrent uses', async () => {
    const wallet = createWallet()
    const headers = await farebox.signIn(wallet)
    const codes = await Promise.all(Array.from({ length: 10 }, () => code(headers, wallet.address)))
    expect(codes.filter((one) => one === undefined)).toHaveLength(1)
  })

  it('lets two wallets use the same nonce', async () => {
    const nonce = () => 'aaaaaaaaaaaaaaaa'
    const [one, other] = [createWallet(), createWallet()]
    expect(await code(await farebox.signIn(one, { nonce }), one.address)).toBeUndefined()
    expect(await code(await farebox.signIn(other, { nonce }), other.address)).toBeUndefined()
  })

  it('is bound to the configured origin, whatever the Host header', async () => {
    const wallet = createWallet()
    const forged = {
      ...(await farebox.signIn(wallet, { domain: 'evil.example', uri: 'https://evil.example' })),
      host: 'evil.example',
    }
    expect(await code(forged, wallet.address)).toBe('X402_SIGN_IN_DOMAIN_MISMATCH')
    expect(
      await code(await farebox.signIn(wallet, { uri: 'https://evil.example' }), wallet.address),
    ).toBe('X402_SIGN_IN_URI_MISMATCH')
  })

  it('is valid for ten minutes, and its clock may run 30 s ahead', async () => {
    const wallet = createWallet()
    const { time } = farebox.clock
    const at = async (offset: number) =>
      code(await farebox.signIn(wallet, { now: () => time + offset }), wallet.address)
    expect(await at(-599_000)).toBeUndefined()
    expect(await at(-601_000)).toBe('X402_SIGN_IN_EXPIRED')
    expect(await at(29_000)).toBeUndefined()
    expect(await at(31_000)).toBe('X402_SIGN_IN_FUTURE_TIMESTAMP')
  })

  it.each([
    ['no base64', '*'],
    ['no object', btoa('1')],
    ['no fields', btoa('{}')],
  ])('is 401 for %s', async (_what, value) => {
    expect(await code({ 'sign-in-with-x': value }, createWallet().address)).toBe(
      'X402_SIGN_IN_INVALID_PAYLOAD',
    )
  })

  it('can be configured to accept a message again until it expires', async () => {
    const reusing = await startService({ allowNonceReuse: true })
    const wallet = privateKeySigner(generatePrivateKey())
    const headers = await reusing.signIn({ ...createWallet(), ...wallet })
    for (let time = 0; time < 3; time++) {
      expect(
        (await reusing.call('getBalance', `/x402/balance/${wallet.address}`, { headers })).status,
      ).toBe(200)
    }
    reusing.clock.time += 601_000
    expect(
      (await reusing.call('getBalance', `/x402/balance/${wallet.address}`, { headers })).status,
    ).toBe(401)
    await reusing.service.close()
  })
})

describe('listTransactions', () => {
  it('returns pages of the ledger, newest first', async () => {
    const wallet = await farebox.richWallet(5)
    await charge(farebox.ledger, {
      account: wallet.address,
      amount: 10_000n,
      requestId: 'req_1',
      modelId: 'text-parser',
    })
    const path = `/x402/transactions/${wallet.address}`
    const first = await farebox.call('listTransactions', `${path}?limit=1`, {
      headers: await farebox.signIn(wallet),
    })
    expect(first.json).toMatchObject({
      data: {
        walletAddress: wallet.address,
        currentBalance: 4.99,
        transactions: [
          {
            amount: -0.01,
            balanceAfter: 4.99,
            type: 'CHARGE',
            createdAt: '2026-01-02T03:04:05.000Z',
            requestId: 'req_1',
            modelId: 'text-parser',
          },
        ],
        pagination: { limit: 1, offset: 0, hasMore: true },
      },
    })
    const second = await farebox.call('listTransactions', `${path}?limit=1&offset=1`, {
      headers: await farebox.signIn(wallet),
    })
    expect(second.json).toMatchObject({
      data: {
        transactions: [
          { amount: 5, balanceAfter: 5, type: 'TOP_UP', requestId: null, modelId: null },
        ],
        pagination: { limit: 1, offset: 1, hasMore: false },
      },
    })
  })

  it('has the defaults of the contract', async () => {
    const wallet = createWallet()
    const path = `/x402/transactions/${wallet.address}`
    const expected = { limit: 50, offset: 0, hasMore: false }
    for (const query of ['', '?offset=', '?offset=null']) {
      const response = await farebox.call('listTransactions', path + query, {
        headers: await farebox.signIn(wallet),
      })
      expect(response.json).toMatchObject({ data: { transactions: [], pagination: expected } })
    }
  })

  it.each([
    'limit=0',
    'limit=101',
    'limit=1.5',
    'limit=ten',
    'limit=',
    'offset=-1',
    'limit=1&limit=2',
    'offset=1e400',
    'limit=0x10',
  ])('is 400 for %s', async (query) => {
    const wallet = createWallet()
    const response = await farebox.call(
      'listTransactions',
      `/x402/transactions/${wallet.address}?${query}`,
      {
        headers: await farebox.signIn(wallet),
      },
    )
    expect(response.status).toBe(400)
    expect(response.json).toMatchObject({
      details: { [query.split('=')[0] ?? '']: { _errors: [expect.any(String)] } },
    })
  })

  it('accepts an offset beyond all entries', async () => {
    const wallet = await farebox.richWallet(5)
    const path = `/x402/transactions/${wallet.address}?offset=9007199254740991`
    const response = await farebox.call('listTransactions', path, {
      headers: await farebox.signIn(wallet),
    })
    expect(response.json).toMatchObject({ data: { currentBalance: 5, transactions: [] } })
  })
})
