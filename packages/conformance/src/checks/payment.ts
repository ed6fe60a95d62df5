import { findUsdcContract } from '@farebox/auth'
import type { PaymentRequired, TopUpResult, WalletBalance } from '@farebox/types'
import { prices } from '@farebox/types/operations'
import { createFarebox } from 'farebox'
import type { Check } from '../check.js'
import { must, Skipped } from '../finding.js'

const rule = 'Wallet flow, steps 1 and 2; payment rules'

export const paying: readonly Check[] = [
  {
    id: 'top-up.offers',
    title: 'a top-up without a payment is 402 with ways to pay 5 USD or more in USDC',
    rule,
    run: async ({ probe }) => {
      const { json, headers } = await probe.ask('topUp', 402)
      const { accepts } = json as PaymentRequired
      must(accepts.length > 0, 'at least one way to pay', 'none')
      for (const { network, asset, amount } of accepts) {
        must(
          /^(?:base|eip155:8453|solana|solana:.+)$/.test(network),
          'Base (eip155:8453, or base in version 1) or Solana',
          network,
        )
        const known = findUsdcContract(network)
        must(
          known === undefined || known.asset.toLowerCase() === asset.toLowerCase(),
          `USDC, ${known?.asset}`,
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
      if (wallet === undefined || topUpUsd === undefined) throw new Skipped('it pays', 'topUpUsd')
      const path = { walletAddress: wallet.address }
      const as = { kind: 'wallet' as const, signer: wallet }
      const before = ((await probe.ask('getBalance', 200, { path, as })).json as WalletBalance).data
        .balanceUsd
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
      const again = (await probe.ask('topUp', 200, { headers: { 'payment-signature': signature } }))
        .json as TopUpResult
      must(
        isNear(again.data.newBalance, newBalance),
        `the same payment sent again to leave ${newBalance} USD`,
        again.data.newBalance,
      )
      const after = ((await probe.ask('getBalance', 200, { path, as })).json as WalletBalance).data
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
