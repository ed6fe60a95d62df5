import { findUsdcContract } from '@farebox/auth'
import { must, SkipError, type CheckOn } from '../check.js'
import { decodeObject, mustReject, type Exchange, type PaidEndpoint } from './exchange.js'
import { createNonce, requireUptoOffers, signPermit, type PermitChanges } from './upto-payment.js'

type Fields = Readonly<Record<string, unknown>>
type ServiceCheck = CheckOn<PaidEndpoint>

const uptoEvm = 'x402, scheme upto on EVM'

const offering: ServiceCheck = {
  id: 'upto.fields',
  title: 'offers of upto name USDC, Permit2 and the facilitator that settles',
  rule: uptoEvm,
  run: async (endpoint) => {
    for (const { network, asset, amount, extra } of requireUptoOffers(endpoint)) {
      const { asset: usdc = '' } = findUsdcContract(String(network)) ?? {}
      const { assetTransferMethod = 'permit2', facilitatorAddress } = Object(extra) as Fields
      must(String(asset).toLowerCase() === usdc.toLowerCase(), usdc, asset)
      must(/^[1-9]\d*$/.test(String(amount)), 'a maximum above 0', amount)
      must(assetTransferMethod === 'permit2', 'permit2', assetTransferMethod)
      must(
        /^0x[0-9a-fA-F]{40}$/.test(String(facilitatorAddress)),
        'an address in extra.facilitatorAddress',
        facilitatorAddress,
      )
    }
  },
}

const other = `0x${'2'.repeat(40)}`

/** Permits that a service must not take. */
const rejections: readonly (readonly [id: string, title: string, changes: PermitChanges])[] = [
  ['signature', 'signed by another wallet than the payer', { isForged: true }],
  ['amount', 'over less than the accepted maximum', { permitted: { amount: '1' } }],
  ['least', 'with too small a maximum', { permitted: { amount: '1' }, accepted: { amount: '1' } }],
  ['token', 'of another token', { permitted: { token: other } }],
  ['payee', 'to another payee', { witness: { to: other } }],
  ['spender', 'for another contract to settle', { permit: { spender: other } }],
  ['facilitator', 'for another facilitator', { witness: { facilitator: other } }],
  ['domain', 'for another Permit2 contract', { domain: { verifyingContract: other } }],
  ['chain', 'for another chain', { domain: { chainId: 1 } }],
  ['expired', 'that has expired', { permit: { deadline: '1000000000' } }],
  ['early', 'that is not valid yet', { witness: { validAfter: '99999999999' } }],
  ['scheme', 'as a payment of the scheme exact', { accepted: { scheme: 'exact' } }],
  ['payload', 'without its authorization', { document: { payload: {} } }],
]

const rejecting = rejections.map(([id, title, changes]): ServiceCheck => ({
  id: `upto.rejects.${id}`,
  title: `a permit ${title} is rejected, with a reason`,
  rule: `${uptoEvm}, verification`,
  run: async (endpoint) => mustReject(await pay(endpoint, changes)),
}))

const taking: readonly ServiceCheck[] = [
  {
    id: 'upto.outcome',
    title: 'at most the maximum is settled, and the receipt has the amount; or a reason is given',
    rule: `${uptoEvm}, settlement`,
    run: async (endpoint) => {
      const max = BigInt(String(requireUptoOffers(endpoint)[0]?.['amount']))
      const exchange = await pay(endpoint)
      if (exchange.status >= 400) return mustReject(exchange)
      const { success, amount } = requireReceipt(exchange)
      must(success === true, 'success: true', success)
      must(typeof amount === 'string' && /^\d+$/.test(amount), 'digits in amount', amount)
      must(BigInt(amount) <= max, `at most ${max}`, amount)
    },
  },
  {
    id: 'upto.replay',
    title: 'a permit that is sent again is not settled again',
    rule: `${uptoEvm}: Permit2 settles a nonce once`,
    run: async (endpoint) => {
      const header = { 'payment-signature': await signPermit(endpoint) }
      const first = requireReceipt(requireTaken(await endpoint.send(header)))
      const second = await endpoint.send(header)
      if (second.status >= 400) return
      const { transaction, amount } = requireReceipt(second)
      must(transaction === first['transaction'], String(first['transaction']), transaction)
      must(amount === first['amount'], String(first['amount']), amount)
    },
  },
  {
    id: 'upto.at-once',
    title: 'a permit that is sent twice at the same time is settled once',
    rule: `${uptoEvm}: Permit2 settles a nonce once`,
    run: async (endpoint) => {
      const header = { 'payment-signature': await signPermit(endpoint) }
      const exchanges = await Promise.all([endpoint.send(header), endpoint.send(header)])
      const settledExchanges = exchanges.filter(({ status }) => status < 300)
      if (settledExchanges.length === 0) throw new SkipError(noFunds)
      const transactions = new Set(
        settledExchanges.map((one) => requireReceipt(one)['transaction']),
      )
      must(transactions.size === 1, 'one transaction', [...transactions])
    },
  },
  {
    id: 'upto.nonce',
    title: 'a nonce pays once, also with another maximum',
    rule: `${uptoEvm}: Permit2 settles a nonce once`,
    run: async (endpoint) => {
      const nonce = createNonce()
      requireTaken(await pay(endpoint, { permit: { nonce } }))
      const [offer] = requireUptoOffers(endpoint)
      const amount = String(BigInt(String(offer?.['amount'])) + 1n)
      const changes = { permit: { nonce }, permitted: { amount }, accepted: { amount } }
      mustReject(await pay(endpoint, changes), [409])
    },
  },
]

/** Checks of the scheme `upto`, in the order in which they run. */
export const uptoChecks: readonly ServiceCheck[] = [offering, ...rejecting, ...taking]

const noFunds = 'the wallet of this command has no funds'

async function pay(endpoint: PaidEndpoint, changes?: PermitChanges): Promise<Exchange> {
  return endpoint.send({ 'payment-signature': await signPermit(endpoint, changes) })
}

function requireTaken(exchange: Exchange): Exchange {
  if (exchange.status >= 400) throw new SkipError(noFunds)
  return exchange
}

/** A stream is settled after its head, which then has no receipt. */
function requireReceipt({ headers }: Exchange): Fields {
  const value = headers.get('payment-response')
  if (value === null)
    throw new SkipError('the response precedes its settlement, so it has no receipt')
  const receipt = decodeObject(value)
  must(receipt !== undefined, 'PAYMENT-RESPONSE with base64 of a JSON object', value)
  return receipt
}
