import { findUsdcContract, pay } from '@farebox/auth'
import type { PaymentRequired, TopUpResult, WalletBalance } from '@farebox/types'
import { prices, operations } from '@farebox/types/operations'
import { createFarebox } from 'farebox'
import type { Check, Subject } from '../subject.js'
import { must, SkipError } from '../check.js'

const rule = 'Wallet flow, steps 1 and 2; payment rules'

export const paying: readonly Check[] = [
  {
    id: 'top-up.offers',
    title: 'a top-up without a payment is 402 with ways to pay 5 USD or more in USDC',
    rule,
    run: async ({ probe }) => {
      const { json, headers } = await probe.call('topUp', 402)
      const { accepts } = json as PaymentRequired
      must(accepts.length > 0, 'at least one way to pay', 'none')
      for (const { network, asset, amount } of accepts) {
        must(
          /^(?:base|eip155:8453|solana|solana:.+)$/.test(network),
          'Base (eip155:8453, or base in version 1) or Solana',
          network,
        )
        const contract = findUsdcContract(network)
        must(
          contract === undefined || contract.asset.toLowerCase() === asset.toLowerCase(),
          `USDC, ${contract?.asset}`,
          asset,
        )
        must(
          BigInt(amount) >= BigInt(prices.minimumTopUpUsd) * 1_000_000n,
          '5000000 or more',
          amount,
        )
      }
      const header = headers.get('payment-required')
      must(header !== null, 'the header PAYMENT-REQUIRED with the same', 'no such header')
      const same = JSON.parse(Buffer.from(header, 'base64').toString()) as PaymentRequired
      must(
        JSON.stringify(readTerms(same)) === JSON.stringify(readTerms(json as PaymentRequired)),
        'the offers of the body in PAYMENT-REQUIRED',
        same,
      )
    },
  },
  {
    id: 'top-up.paid',
    title: 'one signed payment is credited once, however often it is sent',
    rule,
    run: async ({
      probe,
      payer,
      topUpUsd,
      baseUrl,
      serviceName,
      allowInsecureHttp,
      store,
      fetch,
    }) => {
      const wallet = payer?.wallet
      if (wallet === undefined || topUpUsd === undefined)
        throw new SkipError('it makes a payment', 'topUpUsd')
      const path = { walletAddress: wallet.address }
      const as = { kind: 'wallet' as const, signer: wallet }
      const before = ((await probe.call('getBalance', 200, { path, as })).json as WalletBalance)
        .data.balanceUsd
      let signature = ''
      const farebox = createFarebox({
        baseUrl,
        wallet,
        allowInsecureHttp,
        signIn: { serviceName },
        ...(store && { payments: { store } }),
        fetch: async (url, init) => {
          signature = new Headers(init?.headers).get('payment-signature') ?? signature
          return fetch(url, init)
        },
      })
      const { amountCredited, newBalance } = await farebox.topUp(topUpUsd)
      must(amountCredited === topUpUsd, `${topUpUsd} USD credited`, amountCredited)
      must(isNear(newBalance, before + topUpUsd), `${before + topUpUsd} USD in all`, newBalance)
      const again = (
        await probe.call('topUp', 200, { headers: { 'payment-signature': signature } })
      ).json as TopUpResult
      must(
        isNear(again.data.newBalance, newBalance),
        `the same payment sent again to leave ${newBalance} USD`,
        again.data.newBalance,
      )
      const after = ((await probe.call('getBalance', 200, { path, as })).json as WalletBalance).data
        .balanceUsd
      must(isNear(after, newBalance), `${newBalance} USD of balance`, after)
    },
  },
]

/** Compares to a millionth of a dollar, the unit of the ledger. */
export function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) < 5e-7
}

/** Amount and payee, the same for every version of x402. */
function readTerms({ accepts }: PaymentRequired) {
  return accepts.map(({ amount, asset, payTo }) => ({ amount, asset, payTo }))
}

const text = 'The tram is late.'
const priceUsd = (text.length * prices.speechUsdPerMillionCharacters['tts-kokoro']) / 1e6

export const inlinePayment: readonly Check[] = [
  {
    id: 'payment.inline',
    title: 'a payment in a request is credited once, and pays only for that request',
    rule: 'Paying with a wallet, in one call (provisional)',
    run: async (subject) => {
      const { probe, payer, payInline } = subject
      const wallet = payer?.wallet
      if (payInline !== true || wallet === undefined)
        throw new SkipError(`it pays ${prices.minimumTopUpUsd} USD`, 'payInline')
      const as = { kind: 'wallet' as const, signer: wallet }
      const readBalance = async () =>
        (
          (await probe.call('getBalance', 200, { path: { walletAddress: wallet.address }, as }))
            .json as WalletBalance
        ).data.balanceUsd
      const before = await readBalance()
      const { response, signature } = await sendWithPayment(subject)
      must(
        response.status === 200,
        'the paid request to be served in one round trip, with 200',
        response.status,
      )
      must((await response.arrayBuffer()).byteLength > 0, 'speech', 'nothing')
      must(
        response.headers.has('payment-response'),
        'the header PAYMENT-RESPONSE',
        'no such header',
      )
      must(
        response.headers.has('x-balance-remaining'),
        'the header X-Balance-Remaining',
        'no such header',
      )
      const expectedBalance = before + prices.minimumTopUpUsd - priceUsd
      const after = await readBalance()
      must(
        isNear(after, expectedBalance),
        `${expectedBalance} USD of balance after the payment and the price`,
        after,
      )

      const speak = (input: string, status: number) =>
        probe.call('createSpeech', status, {
          json: { input },
          headers: { 'payment-signature': signature },
        })
      await speak(text, 200)
      const again = await readBalance()
      must(
        isNear(again, expectedBalance),
        `${expectedBalance} USD after the same request was sent again with the same payment`,
        again,
      )
      await speak('Another text.', 409)
    },
  },
]

/** Sends a request without a credential, and again with the payment that its 402 requires. */
async function sendWithPayment({ payer, baseUrl, allowInsecureHttp, store, fetch }: Subject) {
  const wallet = payer?.wallet
  if (wallet === undefined) throw new SkipError('it makes a payment', 'wallet')
  let signature = ''
  const limits = {
    maxUsdPerPayment: prices.minimumTopUpUsd,
    maxUsdPerDay: Infinity,
    amountUsd: prices.minimumTopUpUsd,
  }
  const payment = pay(wallet, {
    origin: baseUrl,
    allowInsecureHttp,
    ...limits,
    appliesTo: () => true,
    ...(store && { store }),
  })
  const send = payment(async ({ url, method, headers, body }) => {
    signature = headers.get('payment-signature') ?? signature
    return fetch(url, {
      method,
      headers,
      redirect: 'manual',
      ...(typeof body === 'string' && { body }),
    })
  })
  const { method, path } = operations.createSpeech
  const headers = new Headers({ 'content-type': 'application/json' })
  const response = await send({
    url: `${baseUrl}${path}`,
    method,
    headers,
    body: JSON.stringify({ input: text }),
  })
  return { response, signature }
}
