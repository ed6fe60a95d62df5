import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmptyDatabase } from '../../test/empty-database.js'
import {
  adminKey,
  inlineParser,
  createWallet,
  startService,
  type Harness,
} from '../../test/harness.js'
import { createService } from './create-service.js'
import { createUpstreams, type GivenUpstream } from './create-upstreams.js'

const here = 'http://127.0.0.1:4020'
const there = 'https://api.example.com'
const near: GivenUpstream = { name: 'near', capability: 'text', url: 'http://localhost:1/v1' }
const far: GivenUpstream = { ...near, name: 'far', url: 'https://text.example/v1' }
const dear: GivenUpstream = { ...near, name: 'dear', cost: { usdPerRequest: 0.01 } }

async function start(
  origin: string,
  upstreams: ReturnType<typeof createUpstreams> | undefined,
  choice: object = {},
) {
  const options = { origin, textParser: inlineParser, ...(upstreams && { upstreams }), ...choice }
  return createService({ ...options, database: await openEmptyDatabase() })
}

describe('a service without payment settlement', () => {
  it.each([
    ['with a public origin', there, [], `The origin ${there} is public`],
    ['with an upstream of others', here, [near, far], 'The upstream "far" may bill'],
    ['with an upstream that states a cost', here, [dear], 'The upstream "dear" may bill'],
  ])('does not start %s unless that is set explicitly', async (_what, origin, upstreams, why) => {
    await expect(start(origin, createUpstreams(upstreams))).rejects.toThrow(
      `${why}, and payments are not settled`,
    )
    for (const choice of [{ unsettledPayments: true }, { wallets: false }]) {
      await (await start(origin, createUpstreams(upstreams), choice)).close()
    }
  })

  it('starts for local callers with local upstreams', async () => {
    const upstreams = createUpstreams([near])
    const service = await start('http://localhost:4020', upstreams)
    expect(() => upstreams.replace([far])).toThrow('The upstream "far" may bill')
    expect(upstreams.states().map(({ upstream }) => upstream)).toEqual(['near'])
    await service.close()
  })

  it('does not start with two settlement options', async () => {
    await expect(
      start(here, undefined, { wallets: false, unsettledPayments: true }),
    ).rejects.toThrow('expected one')
  })
})

describe('a service without wallets', () => {
  let farebox: Harness
  beforeAll(async () => void (farebox = await startService({ wallets: false })))
  afterAll(() => farebox.service.close())

  it('accepts no payment and credits nothing', async () => {
    const wallet = createWallet()
    const headers = { 'payment-signature': await farebox.pay(wallet) }
    expect(await farebox.call('topUp', '/x402/top-up', { method: 'POST', headers })).toMatchObject({
      status: 503,
      json: { error: 'X402_NOT_CONFIGURED' },
    })
    expect(await farebox.ledger.balance(wallet.address)).toBe(0n)
    const manifest = (await (
      await farebox.service.fetch(new Request(`${here}/.well-known/x402`))
    ).json()) as object
    expect(manifest).toMatchObject({ resources: [] })
  })

  it('rejects sign-ins, even from a wallet with credit, and says which credentials it accepts', async () => {
    const wallet = await farebox.richWallet()
    const path = `/x402/balance/${wallet.address}`
    const rejected = {
      status: 401,
      json: {
        error: expect.stringContaining(
          'This service does not accept wallets. Send an API key',
        ) as string,
      },
    }
    expect(
      await farebox.call('getBalance', path, { headers: await farebox.signIn(wallet) }),
    ).toMatchObject(rejected)
    const body = JSON.stringify({ input: 'Mind the gap' })
    const speech = { method: 'POST', body, headers: { 'content-type': 'application/json' } }
    expect(await farebox.call('createSpeech', '/audio/speech', speech)).toMatchObject(rejected)
    const withKey = {
      ...speech,
      headers: { ...speech.headers, authorization: `Bearer ${adminKey}` },
    }
    expect((await farebox.call('createSpeech', '/audio/speech', withKey)).status).toBe(200)
  })
})
