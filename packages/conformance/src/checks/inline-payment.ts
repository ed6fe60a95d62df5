import { pay } from '@farebox/auth'
import type { WalletBalance } from '@farebox/types'
import { operations, prices } from '@farebox/types/operations'
import type { Check, Subject } from '../check.js'
import { must, Skipped } from '../finding.js'
import { isNear } from './payment.js'

const text = 'The tram is late.'
const priceUsd = (text.length * prices.speechUsdPerMillionCharacters['tts-kokoro']) / 1e6

export const inlinePayment: readonly Check[] = [
  {
    id: 'payment.inline',
    title: 'a payment in a request is credited once, and serves that request alone',
    rule: 'Paying with a wallet, in one call (provisional)',
    run: async (subject) => {
      const { probe, payer, payInline } = subject
      const wallet = payer?.wallet
      if (payInline !== true || wallet === undefined)
        throw new Skipped(`it pays ${prices.minimumTopUpUsd} USD`, 'payInline')
      const as = { kind: 'wallet' as const, signer: wallet }
      const readBalance = async () =>
        (
          (await probe.ask('getBalance', 200, { path: { walletAddress: wallet.address }, as }))
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
      const left = before + prices.minimumTopUpUsd - priceUsd
      const after = await readBalance()
      must(isNear(after, left), `${left} USD of balance after the payment and the price`, after)

      const speak = (input: string, status: number) =>
        probe.ask('createSpeech', status, {
          json: { input },
          headers: { 'payment-signature': signature },
        })
      await speak(text, 200)
      const again = await readBalance()
      must(
        isNear(again, left),
        `${left} USD after the same request was sent again with the same payment`,
        again,
      )
      await speak('Another text.', 409)
    },
  },
]

/** Sends a request without a credential, and again with a payment that its 402 asks for. */
async function sendWithPayment({ payer, baseUrl, allowInsecureHttp, store, fetch }: Subject) {
  const wallet = payer?.wallet
  if (wallet === undefined) throw new Skipped('it pays', 'wallet')
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
