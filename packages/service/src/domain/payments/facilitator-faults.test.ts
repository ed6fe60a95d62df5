import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.js'
import {
  base,
  feePayer,
  solana,
  startFakeFacilitator,
  supportsBoth,
} from '../../../test/fake-facilitator.js'
import { useFacilitator, key } from '../../../test/use-facilitator.js'
import { decodeHeader, createWallet, payee } from '../../../test/harness.js'
import { decode, createSolanaWallet, signSolanaPayment } from '../../../test/solana.js'
import type { ServiceOptions } from '../../app/create-service.js'
import { createFacilitatorClient } from './facilitator-client.js'

const recentBlockhash = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'

/** Overwrites what the harness gives by default. */
const omitOption = (name: keyof ServiceOptions): Partial<ServiceOptions> =>
  Object.fromEntries([[name, undefined]])

it.each([
  ['EHOSTUNREACH', 'not sent'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'not sent'],
  ['ECONNRESET', 'lost'],
])('a settlement that ends with %s counts as %s', async (code, kind) => {
  const { settle } = createFacilitatorClient({
    url: 'https://facilitator.example',
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause: { code } })),
  })
  expect(await settle('{}')).toMatchObject({ kind })
})

it('a settlement is sent on a new connection, which no timeout of the facilitator has closed', async () => {
  const transaction = `0x${'7'.repeat(64)}`
  const used = new WeakSet<Socket>()
  const server = createServer((request, response) => {
    // as one that closed the idle connection a moment before
    if (used.has(request.socket)) request.socket.destroy()
    else response.end(JSON.stringify({ isValid: true, success: true, transaction }))
    used.add(request.socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const { verify, settle } = createFacilitatorClient({ url: `http://127.0.0.1:${port}` })
  const replies = [await verify('{}'), await settle('{}'), await settle('{}')]
  expect(replies.map(({ kind }) => kind)).toEqual(['response', 'response', 'response'])
  server.close()
})

describe.each(engines)('a facilitator, on $engine', ({ open }) => {
  const at = useFacilitator(open)
  const { serve, topUp, asked, credited } = at

  it('is not asked about a payment that is obviously invalid', async () => {
    const wrong = [
      await at.farebox.pay(createWallet(), { to: createWallet().address }),
      await at.farebox.pay(createWallet(), { signer: createWallet() }),
      await at.farebox.pay(createWallet(), { usd: 4 }),
      await at.farebox.pay(createWallet(), { accepted: { network: 'eip155:84532' } }),
    ]
    for (const header of wrong) expect((await topUp(header)).status).toBe(400)
    expect(at.facilitator.asked.map(({ path }) => path)).toEqual(['/supported'])
  })

  it.each([
    ['answers /verify with 500', { status: 500, body: {} }],
    ['answers /verify with 401', { status: 401, body: {} }],
    ['verifies another payer', { status: 200, body: { isValid: true, payer: payee } }],
    ['says nothing that can be read', { status: 200, body: 'ok' }],
  ])('that %s leads to 503, and nothing is settled', async (_what, verdict) => {
    const wallet = createWallet()
    const header = await at.farebox.pay(wallet)
    at.facilitator.verdicts.push(verdict)
    const response = await topUp(header)
    expect([response.status, response.json['error'], asked('/settle').length]).toEqual([
      503,
      'X402_NOT_CONFIGURED',
      0,
    ])
    expect([(await topUp(header)).status, await credited(wallet.address)]).toEqual([
      200,
      5_000_000n,
    ])
  })

  it.each([401, 403, 404, 429])(
    'that responds to /settle with %s has not processed it: 503, and the payment is not open',
    async (status) => {
      const header = await at.farebox.pay(createWallet())
      at.facilitator.script.push({ status, body: {} })
      expect([
        (await topUp(header)).status,
        (await topUp(header)).status,
        asked('/verify').length,
      ]).toEqual([503, 200, 2])
    },
  )

  it('that cannot be reached leads to 503', async () => {
    const header = await at.farebox.pay(createWallet())
    await at.facilitator.close()
    expect((await topUp(header)).status).toBe(503)
    at.facilitator = await startFakeFacilitator()
  })

  it('that does not list what it settles disables offers and payments until it does', async () => {
    at.facilitator.supported = 500
    at.farebox = await serve()
    const header = await at.farebox.pay(createWallet())
    expect([
      (await topUp()).status,
      (await topUp(header)).status,
      (await topUp('%%%')).status,
    ]).toEqual([503, 503, 503])
    const parse = await at.farebox.call('parseText', '/augment/text-parser', { method: 'POST' })
    expect([parse.status, parse.json['accepts']]).toEqual([402, []])
    at.facilitator.supported = supportsBoth
    at.farebox.clock.time += 5_000
    // the response comes over a real connection
    while ((await topUp()).status === 503) await new Promise((resolve) => setImmediate(resolve))
    expect([(await topUp(header)).status, asked('/supported').length]).toEqual([200, 3])
  })

  it('is asked what it settles every ten minutes, and the response is cached in between', async () => {
    at.facilitator.supported = 500
    at.farebox.clock.time += 599_999
    expect([(await topUp()).status, asked('/supported').length]).toEqual([402, 1])
    at.farebox.clock.time += 1
    expect([(await topUp()).status, (await topUp()).status]).toEqual([402, 402])
    await at.facilitator.calls('/supported', 2)
    expect([(await topUp()).status, asked('/supported').length]).toEqual([402, 2])
  })

  it.each([
    [
      'no test networks',
      {},
      {
        kinds: ['base-sepolia', 'solana-devnet'].map((network) => ({
          x402Version: 1,
          scheme: 'exact',
          network,
        })),
      },
      [],
    ],
    ['no other scheme', {}, { kinds: [{ x402Version: 2, scheme: 'upto', network: base }] }, []],
    [
      'nothing on Solana without a fee payer',
      {},
      { kinds: [supportsBoth.kinds[0], { ...supportsBoth.kinds[1], extra: {} }] },
      [base],
    ],
    ['nothing on Solana without a payee', omitOption('payToSolana'), supportsBoth, [base]],
    ['nothing on Base without a payee', omitOption('payTo'), supportsBoth, [solana]],
    ['nothing for nonsense', {}, { kinds: [null, 1, 'x', [], { x402Version: '2' }] }, []],
  ])('causes %s to be offered', async (_what, options, supported, offered) => {
    at.facilitator.supported = supported
    const { status, headers } = await topUp(undefined, { via: await serve(options) })
    const accepts = status === 402 ? decodeHeader(headers, 'payment-required')['accepts'] : []
    expect([status, accepts]).toMatchObject([
      offered.length > 0 ? 402 : 503,
      offered.map((network) => ({ network })),
    ])
  })

  it('gets Solana offers with a recent blockhash if a node returns one, and payments that use it', async () => {
    const timeout = () => new AbortController().signal
    const node = {
      url: 'https://node.example',
      timeout,
      fetch: async () => Response.json({ result: { value: { blockhash: recentBlockhash } } }),
    }
    const via = await serve({
      facilitator: { url: at.facilitator.url, key, timeout, solanaRpc: node },
    })
    const offers = (await topUp(undefined, { via })).json['accepts'] as { extra: object }[]
    expect(offers.map(({ extra }) => extra)).toEqual([
      { name: 'USD Coin', version: '2' },
      { feePayer, recentBlockhash },
    ])
    const wallet = createSolanaWallet()
    expect((await topUp(await signSolanaPayment(via, wallet), { via })).status).toBe(200)
    expect(await credited(wallet.address)).toBe(5_000_000n)
  })

  it('that fails counts as an upstream failure, not as a crash', async () => {
    at.facilitator.script.push('lose')
    expect((await topUp(await at.farebox.pay(createWallet()))).status).toBe(504)
    const metrics = await at.farebox.metrics()
    expect(metrics).toContain('farebox_upstream_troubles_total{upstream="facilitator"} 1\n')
    expect(metrics).not.toMatch(/farebox_crashes_total \d*[1-9]/)
    expect(at.farebox.crashes).toEqual([])
  })

  it('that redirects is not followed, and its key is sent nowhere else', async () => {
    const heard: string[] = []
    const elsewhere = createServer(
      (request, response) => (heard.push(request.url ?? ''), response.end('{}')),
    ).listen(0, '127.0.0.1')
    await once(elsewhere, 'listening')
    const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`
    const redirecting = createServer((_request, response) =>
      response.writeHead(308, { location }).end(),
    ).listen(0, '127.0.0.1')
    await once(redirecting, 'listening')
    const via = await serve({
      facilitator: { url: `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`, key },
    })
    expect([(await topUp(undefined, { via })).status, heard, via.troubles]).toEqual([
      503,
      [],
      ['facilitator: Facilitator: /supported gave no list of what it settles (status 308)'],
    ])
    elsewhere.close()
    redirecting.close()
  })

  it('cannot leak secrets into messages: neither its key, which it may echo, nor what was signed', async () => {
    at.facilitator.verdicts.push({
      status: 200,
      body: { isValid: false, invalidReason: `bad key ${key}` },
    })
    const header = await at.farebox.pay(createWallet())
    const responses = [await topUp(header)]
    at.facilitator.script.push('lose', {
      status: 400,
      body: { success: false, errorReason: key.toUpperCase() },
    })
    responses.push(await topUp(header), await topUp(header))
    const { signature } = decode(header).payload as unknown as { signature: string }
    const told = JSON.stringify([
      responses.map(({ text, headers }) => [text, ...headers]),
      at.farebox.troubles,
    ])
    expect(responses.map(({ status }) => status)).toEqual([402, 504, 504])
    expect(told.toLowerCase()).not.toContain(key)
    expect(told).not.toContain(signature.slice(2, 40))
  })
})
