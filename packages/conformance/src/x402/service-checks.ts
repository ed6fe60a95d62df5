import { findUsdcContract } from '@farebox/auth'
import { must, SkipError, type CheckOn } from '../check.js'
import {
  decodeObject,
  encodeObject,
  mustReject,
  payerWallet,
  readHeader,
  type Exchange,
  type PaidEndpoint,
  type PaymentChanges,
} from './exchange.js'
import { uptoChecks } from './upto-checks.js'

type Fields = Readonly<Record<string, unknown>>
type ServiceCheck = CheckOn<PaidEndpoint>

const transport = 'x402 v2, transports/http'
const core = 'x402 v2, section 5'
const exactEvm = 'x402, scheme exact on EVM'

/** What a 402 without a payment must say. */
const offering: readonly ServiceCheck[] = [
  {
    id: 'discovery.status',
    title: 'a request without a payment is 402',
    rule: transport,
    run: async ({ discovery }) => must(discovery.status === 402, '402', discovery.status),
  },
  {
    id: 'discovery.header',
    title: 'PAYMENT-REQUIRED is base64 of a JSON object, of at most 8 kB',
    rule: transport,
    run: async ({ discovery: { headers } }) => {
      const value = headers.get('payment-required')
      must(value !== null, 'the header PAYMENT-REQUIRED', 'none')
      must(readHeader(headers) !== undefined, 'base64 of a JSON object', value)
      must(value.length <= 8192, 'at most 8,192 characters', value.length)
    },
  },
  {
    id: 'discovery.version',
    title: 'x402Version is the number 2 in the header',
    rule: `${core}.1`,
    run: async (endpoint) => {
      const version = requireHeader(endpoint)['x402Version']
      must(version === 2, '2', version)
    },
  },
  {
    id: 'discovery.resource',
    title: 'resource.url is the URL of the request',
    rule: `${core}.1`,
    run: async (endpoint) => {
      const { url } = Object(requireHeader(endpoint)['resource']) as Fields
      must(typeof url === 'string' && URL.canParse(url), 'an absolute URL', url)
      must(new URL(url).pathname === new URL(endpoint.url).pathname, endpoint.url, url)
    },
  },
  {
    id: 'discovery.no-store',
    title: 'no cache may keep the 402',
    rule: 'RFC 9111, section 5.2.2.5; offers change',
    run: async ({ discovery: { headers } }) => {
      const value = headers.get('cache-control')
      must(/no-store|private/.test(value ?? ''), 'cache-control: no-store', value ?? 'none')
    },
  },
  {
    id: 'offers.some',
    title: 'there is an offer',
    rule: `${core}.1`,
    run: async ({ offers }) => must(offers.length > 0, 'an offer in accepts', 'none'),
  },
  {
    id: 'offers.fields',
    title: 'each offer has its required fields, in their types',
    rule: `${core}.1.2`,
    run: async (endpoint) => {
      requireHeader(endpoint)
      for (const offer of endpoint.offers) {
        const { scheme, network, amount, asset, payTo, maxTimeoutSeconds } = offer
        must(typeof scheme === 'string', 'a scheme', offer)
        must(/^[a-z0-9-]{3,8}:\S{1,64}$/.test(String(network)), 'a network by CAIP-2', network)
        must(typeof amount === 'string' && /^\d+$/.test(amount), 'digits in amount', amount)
        must(typeof asset === 'string' && asset !== '', 'an asset', asset)
        must(typeof payTo === 'string' && payTo !== '', 'a payee', payTo)
        must(Number(maxTimeoutSeconds) > 0, 'seconds above 0', maxTimeoutSeconds)
      }
    },
  },
  {
    id: 'offers.evm',
    title: 'offers of USDC on EVM networks have the EIP-712 domain of the contract',
    rule: exactEvm,
    run: async ({ offers }) => {
      const usdcOffers = offers.filter(
        ({ scheme, network }) => scheme === 'exact' && findUsdcContract(String(network)),
      )
      if (usdcOffers.length === 0) throw new SkipError('there is no such offer')
      for (const { network, asset, extra } of usdcOffers) {
        const contract = findUsdcContract(String(network))
        const { name, version } = Object(extra) as Fields
        must(String(asset).toLowerCase() === contract?.asset.toLowerCase(), 'USDC', asset)
        must(name === contract?.name, contract?.name ?? '', name)
        must(version === contract?.version, contract?.version ?? '', version)
      }
    },
  },
  {
    id: 'offers.solana',
    title: 'offers on Solana name the wallet that pays the fee',
    rule: 'x402, scheme exact on Solana',
    run: async ({ offers }) => {
      const solanaOffers = offers.filter(({ network }) => String(network).startsWith('solana'))
      if (solanaOffers.length === 0) throw new SkipError('there is no such offer')
      for (const { extra } of solanaOffers) {
        const { feePayer } = Object(extra) as Fields
        must(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(String(feePayer)), 'a fee payer', feePayer)
      }
    },
  },
  {
    id: 'extensions.form',
    title: 'each extension has info and schema',
    rule: `${core}.1.3`,
    run: async (endpoint) => {
      const extensions = Object.entries(Object(requireHeader(endpoint)['extensions']) as Fields)
      if (extensions.length === 0) throw new SkipError('there are no extensions')
      for (const [name, extension] of extensions) {
        const { info } = Object(extension) as Fields
        must(typeof info === 'object' && info !== null, `info in ${name}`, extension)
      }
    },
  },
  {
    id: 'offers.stable',
    title: 'a second request is offered the same payees',
    rule: 'a payment is verified against the offers of its own request',
    run: async ({ offers, send }) => {
      const again = readHeader((await send()).headers)
      const payees = (entries: unknown) =>
        Array.isArray(entries) ? entries.map(({ payTo }: Fields) => String(payTo)) : []
      must(
        !again || payees(again['accepts']).join() === payees(offers).join(),
        payees(offers).join(),
        payees(again?.['accepts']).join(),
      )
    },
  },
  {
    id: 'version-1.body',
    title: 'the body has the offers of version 1, with the amounts of the header',
    rule: 'x402 v1, section 5.1',
    run: async ({ discovery: { json }, offers }) => {
      const { x402Version, accepts } = Object(json) as Fields
      if (x402Version !== 1) throw new SkipError('the service speaks only version 2')
      must(Array.isArray(accepts) && accepts.length > 0, 'offers in accepts', accepts)
      for (const [at, entry] of (accepts as readonly Fields[]).entries()) {
        const { maxAmountRequired, resource } = entry
        must(typeof resource === 'string', 'a resource', entry)
        const amount = offers[at]?.['amount'] ?? maxAmountRequired
        must(maxAmountRequired === amount, String(amount), maxAmountRequired)
      }
    },
  },
]

/** Payments that a service must not take. The wallet has no funds, so they cost nothing. */
const rejections: readonly (readonly [id: string, title: string, changes: PaymentChanges])[] = [
  ['signature', 'signed by another wallet than the payer', { isForged: true }],
  ['amount', 'over less than the offer', { authorization: { value: '1' } }],
  ['accepted', 'whose accepted offer has a lower amount', lowerAmount()],
  ['payee', 'to another payee', { authorization: { to: `0x${'2'.repeat(40)}` } }],
  ['domain', 'for another contract', { domain: { verifyingContract: `0x${'3'.repeat(40)}` } }],
  ['chain', 'for another chain', { domain: { chainId: 1 } }],
  ['network', 'whose accepted offer names another network', { accepted: { network: 'eip155:1' } }],
  ['scheme', 'of another scheme', { accepted: { scheme: 'unknown' } }],
  ['expired', 'that has expired', { authorization: { validBefore: '1000000000' } }],
  ['early', 'that is not valid yet', { authorization: { validAfter: '99999999999' } }],
  ['version', 'of version 99', { document: { x402Version: 99, accepted: undefined } }],
  ['payload', 'without an authorization', { document: { payload: {} } }],
]

function lowerAmount(): PaymentChanges {
  return { authorization: { value: '1' }, accepted: { amount: '1' } }
}

const rejecting: readonly ServiceCheck[] = [
  ...rejections.map(([id, title, changes]): ServiceCheck => ({
    id: `rejects.${id}`,
    title: `a payment ${title} is rejected, with a reason`,
    rule: `${exactEvm}, verification; x402 v2, section 9`,
    run: async ({ sign, send }) =>
      mustReject(await send({ 'payment-signature': await sign(changes) })),
  })),
  ...(
    [
      ['garbage', 'that is not base64', '%%%'],
      ['text', 'that is base64, but not of JSON', Buffer.from('hello').toString('base64')],
      ['list', 'that is a list', encodeObject([])],
      ['null', 'that is null', encodeObject(null)],
      ['large', 'of 9 kB', encodeObject({ padding: 'x'.repeat(7000) })],
    ] as const
  ).map(([id, title, value]): ServiceCheck => ({
    id: `rejects.${id}`,
    title: `a payment header ${title} is rejected`,
    rule: `${transport}: 400 for a malformed payment`,
    run: async ({ send }) => {
      const { status } = await send({ 'payment-signature': value })
      must(status >= 400 && status < 500, '400 or 402', status)
    },
  })),
]

/** A payment in good form. A wallet without funds is rejected, unless nothing is settled. */
const taking: readonly ServiceCheck[] = [
  {
    id: 'payment.outcome',
    title: 'a payment is settled, or rejected with a reason',
    rule: `${transport}; settlement response`,
    run: async ({ sign, send }) => {
      const exchange = await send({ 'payment-signature': await sign() })
      if (exchange.status >= 400) return mustReject(exchange)
      const { success, transaction, network, payer } = requireReceipt(exchange)
      must(success === true, 'success: true', success)
      must(typeof transaction === 'string', 'a transaction', transaction)
      must(typeof network === 'string', 'a network', network)
      must(
        payer === undefined ||
          (typeof payer === 'string' && payer.toLowerCase() === payerWallet.address.toLowerCase()),
        payerWallet.address,
        payer,
      )
    },
  },
  {
    id: 'payment.replay',
    title: 'a payment that is sent again is not settled again',
    rule: `${exactEvm}: a nonce is used once`,
    run: async ({ sign, send }) => {
      const header = { 'payment-signature': await sign() }
      const first = await send(header)
      if (first.status >= 400) throw new SkipError('the wallet of this command has no funds')
      const second = await send(header)
      if (second.status >= 400) return
      const [one, other] = [requireReceipt(first), requireReceipt(second)]
      must(
        one['transaction'] === other['transaction'],
        String(one['transaction']),
        other['transaction'],
      )
    },
  },
  {
    id: 'payment.at-once',
    title: 'a payment that is sent twice at the same time is settled once',
    rule: `${exactEvm}: a nonce is used once`,
    run: async ({ sign, send }) => {
      const header = { 'payment-signature': await sign() }
      const exchanges = await Promise.all([send(header), send(header)])
      const settledExchanges = exchanges.filter(({ status }) => status < 300)
      if (settledExchanges.length === 0)
        throw new SkipError('the wallet of this command has no funds')
      const transactions = new Set(
        settledExchanges.map((one) => requireReceipt(one)['transaction']),
      )
      must(transactions.size === 1, 'one transaction', [...transactions])
    },
  },
  {
    id: 'payment.nonce',
    title: 'a nonce pays once, also for another amount',
    rule: 'EIP-3009: a nonce is used once',
    run: async ({ offers, sign, send }) => {
      const nonce = `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`
      const first = await send({ 'payment-signature': await sign({ authorization: { nonce } }) })
      if (first.status >= 400) throw new SkipError('the wallet of this command has no funds')
      const value = String(BigInt(String(offers[0]?.['amount'])) + 1n)
      const changes = { authorization: { nonce, value }, accepted: { amount: value } }
      const second = await send({ 'payment-signature': await sign(changes) })
      must(second.status >= 400, 'a rejection', second.status)
    },
  },
  {
    id: 'extensions.payment-identifier',
    title: 'one id of the extension payment-identifier has one payment',
    rule: 'x402, extension payment-identifier',
    run: async (endpoint) => {
      const { extensions } = requireHeader(endpoint)
      if ((Object(extensions) as Fields)['payment-identifier'] === undefined)
        throw new SkipError('the service does not offer it')
      const id = `verify-${crypto.randomUUID()}`
      const pay = async () => {
        const identified = { 'payment-identifier': { info: { required: false, id } } }
        const document = { extensions: identified }
        return endpoint.send({ 'payment-signature': await endpoint.sign({ document }) })
      }
      if ((await pay()).status >= 400)
        throw new SkipError('the wallet of this command has no funds')
      const { status } = await pay()
      must(status === 409, '409 for another payment with the id', status)
    },
  },
]

/** In the order in which they run. */
export const serviceChecks: readonly ServiceCheck[] = [
  ...offering,
  ...rejecting,
  ...taking,
  ...uptoChecks,
]

function requireHeader({ discovery: { headers } }: PaidEndpoint): Fields {
  const document = readHeader(headers)
  if (!document) throw new SkipError('there is no readable header PAYMENT-REQUIRED')
  return document
}

function requireReceipt({ headers }: Exchange): Fields {
  const value = headers.get('payment-response') ?? headers.get('x-payment-response')
  const receipt = decodeObject(value)
  must(receipt !== undefined, 'PAYMENT-RESPONSE with base64 of a JSON object', value ?? 'none')
  return receipt
}
