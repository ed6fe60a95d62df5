import { verifyPaymentAuthorization } from '@farebox/auth/verify'
import { must, SkipError, type CheckOn } from '../check.js'
import {
  fittingOffer,
  fittingUptoOffer,
  offerAll,
  offerVersion1,
  paidResource,
  paymentRequired,
  receipt,
  settled,
  type Behavior,
  type Reply,
  runClient,
  type ClientCommand,
  type ClientRuns,
} from './hostile-service.js'

type ClientCheck = CheckOn<ClientCommand>

const repeatReply = (reply: Reply) => (): Reply => reply
const settling: Behavior = { reply: repeatReply(settled) }
const version2 = 'x402 v2, section 5.2'
const exactEvm = 'x402, scheme exact on EVM'

/** How a client pays. */
const paying: readonly ClientCheck[] = [
  {
    id: 'pays.version-2',
    title: 'pays an offer in the header PAYMENT-REQUIRED, once, and exits with 0',
    rule: 'x402 v2, transports/http',
    run: async (client) => {
      const { codes, received, stderr } = await runClient(client, settling)
      must(received.length === 1, 'one payment', `${received.length}; stderr: ${stderr}`)
      must(codes[0] === 0, 'exit code 0', `${codes[0]}; stderr: ${stderr}`)
    },
  },
  {
    id: 'pays.version-1',
    title: 'pays an offer of version 1, which is only in the body',
    rule: 'x402 v1, section 5.1',
    run: async (client) => {
      const { received } = await runClient(client, { ...settling, discovery: offerVersion1 })
      if (received.length === 0) throw new SkipError('the client speaks only version 2')
      must(received[0]?.document['x402Version'] === 1, 'x402Version 1', received[0]?.document)
    },
  },
  {
    id: 'pays.signature',
    title: 'signs the amount, the payee, the contract and the chain of the offer',
    rule: exactEvm,
    run: async (client) => {
      const { document } = requirePayment(await runClient(client, settling))
      await verifyPaymentAuthorization(document, fittingOffer, { minAmount: 5_000_000n })
    },
  },
  {
    id: 'pays.until',
    title: 'a payment is valid no longer than the offer allows',
    rule: `${exactEvm}: maxTimeoutSeconds`,
    run: async (client) => {
      const { document } = requirePayment(await runClient(client, settling))
      const { authorization } = Object(document['payload']) as {
        readonly authorization?: { readonly validBefore?: string }
      }
      const seconds = Number(authorization?.validBefore) - Date.now() / 1000
      must(seconds <= 330, 'at most 300 seconds', Math.round(seconds))
    },
  },
  {
    id: 'pays.echo',
    title: 'sends back the offer, the resource and the extensions unchanged',
    rule: version2,
    run: async (client) => {
      const extensions = { audit: { info: { note: 'kept' }, schema: { type: 'object' } } }
      const discovery = repeatReply(offerAll([fittingOffer], { extensions }))
      const runs = await runClient(client, { ...settling, discovery })
      const { accepted, resource, extensions: sentExtensions } = requirePayment(runs).document
      must(isSame(accepted, fittingOffer), JSON.stringify(fittingOffer), accepted)
      must(isSame(resource, paidResource), JSON.stringify(paidResource), resource)
      must(isSame(sentExtensions, extensions), JSON.stringify(extensions), sentExtensions)
    },
  },
  {
    id: 'pays.second-offer',
    title: 'an offer that it cannot pay does not hide one that it can',
    rule: version2,
    run: async (client) => {
      const discovery = repeatReply(
        offerAll([
          { ...fittingOffer, scheme: 'unknown' },
          { ...fittingOffer, extra: { ...fittingOffer.extra, assetTransferMethod: 'unknown' } },
          fittingOffer,
        ]),
      )
      const { accepted } = requirePayment(
        await runClient(client, { ...settling, discovery }),
      ).document
      must(isSame(accepted, fittingOffer), 'the third offer', accepted)
    },
  },
]

/** Offers that no client may pay. */
const unpayable: readonly (readonly [id: string, title: string, offer: Reply])[] = [
  [
    'transfer-method',
    'an offer for another transfer method by EIP-3009',
    changeOffer({ extra: { ...fittingOffer.extra, assetTransferMethod: 'unknown' } }),
  ],
  ['scheme', 'an offer of an unknown scheme', changeOffer({ scheme: 'unknown' })],
  ['network', 'an offer on an unknown network', changeOffer({ network: 'eip155:999999999' })],
  [
    'domain',
    'an offer whose EIP-712 domain is not that of the token',
    changeOffer({ extra: { name: 'Another Coin', version: '9' } }),
  ],
  ['asset', 'an offer of an unknown token', changeOffer({ asset: `0x${'4'.repeat(40)}` })],
  ['amount', 'an offer of a million dollars', changeOffer({ amount: '1000000000000' })],
  ['negative', 'an offer of a negative amount', changeOffer({ amount: '-5000000' })],
  [
    'extension',
    'an offer with an unknown required extension',
    offerAll([fittingOffer], { extensions: { 'x-unknown': { info: { required: true } } } }),
  ],
]

/** Offers of the scheme `upto` that no client may pay. Its wallet is new, so Permit2 may move nothing. */
const unpayableUpto: readonly (readonly [id: string, title: string, offer: Reply])[] = [
  ['allowance', 'an offer without an allowance for Permit2', changeUpto({})],
  ['amount', 'a maximum of a million dollars', changeUpto({ amount: '1000000000000' })],
  ['asset', 'an offer of an unknown token', changeUpto({ asset: `0x${'4'.repeat(40)}` })],
  ['facilitator', 'an offer that names no facilitator', changeUptoExtra('facilitatorAddress')],
  ['transfer-method', 'an offer by another method', changeUptoExtra('assetTransferMethod')],
]

function changeUpto(changes: object): Reply {
  return offerAll([{ ...fittingUptoOffer, ...changes }])
}

function changeUptoExtra(name: keyof typeof fittingUptoOffer.extra): Reply {
  return changeUpto({ extra: { ...fittingUptoOffer.extra, [name]: 'unknown' } })
}

function changeOffer(changes: object): Reply {
  return paymentRequired(changes)
}

const rejecting: readonly ClientCheck[] = [
  ...[
    ...unpayable.map((one) => [exactEvm, 'rejects', ...one] as const),
    ...unpayableUpto.map((one) => ['x402, scheme upto on EVM', 'upto.rejects', ...one] as const),
  ].map(([scheme, group, id, title, offer]): ClientCheck => ({
    id: `${group}.${id}`,
    title: `does not pay ${title}, and exits with an error`,
    rule: `${version2}; ${scheme}`,
    run: async (client) => {
      const { codes, received } = await runClient(client, {
        ...settling,
        discovery: repeatReply(offer),
      })
      must(received.length === 0, 'no payment', received[0]?.document)
      must(codes[0] !== 0, 'an exit code other than 0', codes[0])
    },
  })),
  {
    id: 'rejects.redirect',
    title: 'does not pay another host that the service redirects to',
    rule: 'RFC 9110, section 15.4: a payment is a credential',
    run: async (client) => {
      const { received } = await runClient(client, {
        ...settling,
        discovery: (at, other) =>
          at === 0
            ? { status: 307, headers: { location: `${other}/api/v1/x402/top-up` } }
            : undefined,
      })
      must(received.length === 0, 'no payment', `${received.length} payments`)
    },
  },
]

const proof = 'invalid_exact_evm_payload_recipient_mismatch'
const otherPayee = { payTo: `0x${'2'.repeat(40)}` }

/** Responses to a payment that may be settled. */
const faults: readonly (readonly [id: string, title: string, behavior: Behavior])[] = [
  ['lost', 'a lost response', { reply: repeatReply('lost') }],
  ['cut', 'a response that breaks off', { reply: (at) => (at === 0 ? 'cut' : settled) }],
  ['bare-402', 'a bare 402', { reply: repeatReply({ status: 402 }) }],
  ['loop', 'a 402 with the same offer', { reply: repeatReply(paymentRequired()) }],
  [
    'funds',
    'a 402 for insufficient funds',
    { reply: repeatReply(rejectPayment('insufficient_funds')) },
  ],
  [
    'pending',
    'a 402 while the settlement runs',
    { reply: repeatReply(rejectPayment('settlement_pending')) },
  ],
  ['used', 'a 402 for a used nonce', { reply: repeatReply(rejectPayment('nonce_already_used')) }],
  [
    'after-settlement',
    'a 402 with a receipt of success',
    {
      reply: repeatReply({ status: 402, headers: receipt({ success: true, transaction: '0x1' }) }),
    },
  ],
  ['403', 'a 403', { reply: repeatReply({ status: 403 }) }],
  ['409', 'a 409', { reply: repeatReply({ status: 409 }) }],
  ['500', 'a 500', { reply: repeatReply({ status: 500 }) }],
  ['504', 'a 504', { reply: repeatReply({ status: 504 }) }],
  [
    'redirect',
    'a redirect of the payment',
    { reply: repeatReply({ status: 307, headers: { location: 'http://127.0.0.1:9/' } }) },
  ],
  [
    'payee',
    'a 402 with another payee',
    {
      reply: repeatReply(paymentRequired(otherPayee)),
      offer: (at) => (at > 0 ? otherPayee : {}),
    },
  ],
  [
    'false-proof',
    'a false statement that nothing was submitted, with another payee',
    {
      reply: repeatReply(paymentRequired(otherPayee, proof)),
      offer: (at) => (at > 0 ? otherPayee : {}),
    },
  ],
]

function rejectPayment(error: string): Reply {
  return paymentRequired({}, error)
}

const failing: readonly ClientCheck[] = faults.map(([id, title, behavior]) => ({
  id: `once.${id}`,
  title: `after ${title}, a second run signs no second payment`,
  rule: `${exactEvm}: only a nonce that is used again settles once`,
  run: async (client) => {
    const { received } = await runClient(client, behavior, 2)
    if (received.length === 0) throw new SkipError('the client does not pay this service')
    const nonces = new Set(received.map(({ nonce }) => nonce))
    must(nonces.size === 1, 'one nonce', `${nonces.size} nonces`)
  },
}))

/** In the order in which they run. */
export const clientChecks: readonly ClientCheck[] = [...paying, ...rejecting, ...failing]

function requirePayment({ received }: ClientRuns) {
  const [payment] = received
  if (!payment) throw new SkipError('the client does not pay this service')
  return payment
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(sort(left)) === JSON.stringify(sort(right))
}

function sort(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sort)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, field]) => [name, sort(field)]),
  )
}
