import type { Call, Send } from '@farebox/middleware'
import { topUpOffer } from '@farebox/testing/top-up-offer'
import { verifyTypedData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { readRecords } from '../../test/store-contract.js'
import { findUsdcContract, transferTypedData, type TransferAuthorization } from '../evm/usdc.js'
import { privateKeySigner } from '../keys.js'
import {
  encodeBase64url,
  formatPaymentChallenge,
  parsePaymentCredential,
  paymentChallengeNonce,
  type PaymentChallenge,
} from '../payment-scheme.js'
import { mppSigner } from './mpp-signer.js'
import { pay, type PayOptions } from './pay.js'
import { memoryPaymentStore } from './payment-store.js'

const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const { address } = privateKeyToAccount(key)
const now = Date.UTC(2026, 4, 1)
const call: Call = { url: 'https://api.example/trams', method: 'GET', headers: new Headers() }

function createChallenge(
  request: object = {},
  more: Partial<PaymentChallenge> = {},
): PaymentChallenge {
  return {
    id: 'challenge-1',
    realm: 'api.example',
    method: 'evm',
    intent: 'charge',
    request: encodeBase64url({
      amount: '250000',
      currency: topUpOffer.asset,
      recipient: topUpOffer.payTo,
      methodDetails: { chainId: 8453, credentialTypes: ['authorization'], decimals: 6 },
      ...request,
    }),
    expires: new Date(now + 120_000).toISOString(),
    ...more,
  }
}

/** Pays a 402 with these challenges. */
async function payChallenges(
  challenges: readonly PaymentChallenge[],
  options: Partial<PayOptions> = {},
  paid = () => Response.json({}),
) {
  const sent: (string | null)[] = []
  const send: Send = async ({ headers }) => {
    const value = headers.get('payment-authorization') ?? headers.get('authorization')
    if (value !== null) {
      sent.push(value)
      return paid()
    }
    return new Response(null, {
      status: 402,
      headers: { 'www-authenticate': challenges.map(formatPaymentChallenge).join(', ') },
    })
  }
  const store = memoryPaymentStore()
  const paying = pay(mppSigner(privateKeySigner(key)), {
    origin: 'https://api.example',
    maxUsdPerPayment: 1,
    maxUsdPerDay: 1,
    appliesTo: () => true,
    store,
    now: () => now,
    wait: async () => {},
    ...options,
  })(send)
  return { paying: () => paying(call), sent, records: () => readRecords(store) }
}

test('pays the first challenge that it can, by an authorization with its nonce', async () => {
  const tempo = createChallenge({}, { id: 'other', method: 'tempo' })
  const challenge = createChallenge()
  const { paying, sent, records } = await payChallenges([tempo, challenge])
  expect((await paying()).status).toBe(200)
  const { payload, ...credential } = parsePaymentCredential(sent[0] ?? '') ?? {}
  expect(credential).toEqual({ challenge, source: `did:pkh:eip155:8453:${address}` })
  const { signature, type, ...authorization } = payload ?? {}
  expect([type, authorization]).toEqual([
    'authorization',
    {
      from: address,
      to: topUpOffer.payTo,
      value: '250000',
      validAfter: '0',
      validBefore: String(now / 1000 + 120),
      nonce: paymentChallengeNonce(challenge),
    },
  ])
  const base = findUsdcContract('base')
  if (!base) throw new Error('There is no such network.')
  const { domain, types, primaryType, message } = transferTypedData(
    base,
    authorization as TransferAuthorization,
  )
  const signed = { domain, types, primaryType, message, signature: signature as `0x${string}` }
  expect(await verifyTypedData({ address, ...signed })).toBe(true)
  expect(await records()).toMatchObject([{ amount: '250000', state: 'settled' }])
})

test('the credential has the header that the challenge names', async () => {
  const { paying, sent } = await payChallenges([
    createChallenge({}, { header: 'Payment-Authorization' }),
  ])
  await paying()
  expect(sent[0]).toMatch(/^Payment [\w-]+$/)
})

test.each([
  ['an asset other than USDC', createChallenge({ currency: topUpOffer.payTo }), 'not USDC'],
  ['another network', createChallenge({ methodDetails: { chainId: 1 } }), 'network is not allowed'],
  ['a split', createChallenge({ methodDetails: { chainId: 8453, splits: [{}] } }), 'splits'],
  [
    'a transaction',
    createChallenge({ methodDetails: { chainId: 8453, credentialTypes: ['transaction'] } }),
    'takes no EIP-3009 authorization',
  ],
  ['an earlier time', createChallenge({}, { expires: new Date(now).toISOString() }), 'expired'],
  ['a time that is none', createChallenge({}, { expires: 'soon' }), 'expired'],
  ['a session', createChallenge({}, { intent: 'session' }), '"evm.session"'],
  ['a request that is not JSON', createChallenge({}, { request: '%' }), 'network is not allowed'],
])('a challenge with %s is not paid', async (_what, challenge, why) => {
  const { paying, sent } = await payChallenges([challenge])
  const error = await paying().catch((caught: unknown) => caught)
  expect(error).toMatchObject({ code: 'no_acceptable_offer' })
  expect(String(error)).toContain(why)
  expect(sent).toEqual([])
})

test('a 402 without a challenge, or over another amount than a challenge states, is not paid', async () => {
  const none = await payChallenges([])
  await expect(none.paying()).rejects.toMatchObject({ code: 'malformed_offer' })
  const more = await payChallenges([createChallenge()], { amountUsd: 0.5 })
  await expect(more.paying()).rejects.toMatchObject({
    code: 'no_acceptable_offer',
    message: expect.stringContaining('leave amountUsd out') as string,
  })
  expect(more.sent).toEqual([])
})

test('a rejection without proof leaves the payment open, and the next call sends the same one', async () => {
  const problem = { type: 'https://paymentauth.org/problems/verification-failed', status: 402 }
  const { paying, sent, records } = await payChallenges([createChallenge()], {}, () =>
    Response.json(problem, { status: 402 }),
  )
  for (const _ of [1, 2]) await expect(paying()).rejects.toMatchObject({ code: 'outcome_unknown' })
  expect(new Set(sent).size).toBe(1)
  expect(await records()).toMatchObject([{ amount: '250000', state: 'unanswered' }])
})

test.each(['', 'Payment Authorization', 'zahlung-ü'])(
  'a challenge for the header %j, which HTTP does not allow, is not signed',
  async (header) => {
    const { paying, sent, records } = await payChallenges([createChallenge({}, { header })])
    await expect(paying()).rejects.toMatchObject({
      code: 'no_acceptable_offer',
      message: expect.stringContaining('its header has no name that HTTP allows') as string,
    })
    expect([sent, await records()]).toEqual([[], []])
  },
)
