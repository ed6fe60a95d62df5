import { Refusal } from '../errors.js'

/** What the tools may spend. */
export type Purse = {
  /**
   * Sets a price aside before anything is sent, so that calls at the same time cannot spend the same dollar. Throws `Refusal` beyond a cap. What is
   * given back was certainly not charged.
   */
  readonly take: (usd: number, what: string) => { readonly giveBack: () => void }
  readonly spentUsd: () => number
}

export type Caps = { readonly maxUsdPerCall: number; readonly maxUsd: number }

/** In whole micro-USD, as the service counts: sums of fractions would drift. */
export function createPurse({ maxUsdPerCall, maxUsd }: Caps): Purse {
  const [perCall, total] = [micro(maxUsdPerCall), micro(maxUsd)]
  let spent = 0
  return {
    take: (usd, what) => {
      const price = micro(usd)
      if (!Number.isSafeInteger(price) || price < 0)
        throw new Refusal('price_unknown', `${what}: its price cannot be told, so nothing was sent.`)
      if (price > perCall) {
        throw new Refusal(
          'over_call_cap',
          `${what} costs ${usd} USD, more than the ${maxUsdPerCall} USD that one call may cost (--max-usd-per-call). Nothing was sent.`,
        )
      }
      if (spent + price > total) {
        throw new Refusal(
          'over_total_cap',
          `${what} costs ${usd} USD, and of the ${maxUsd} USD that may be spent (--max-usd) ${(total - spent) / 1e6} are left. Nothing was sent.`,
        )
      }
      spent += price
      let isBack = false
      return {
        giveBack: () => {
          if (!isBack) spent -= price
          isBack = true
        },
      }
    },
    spentUsd: () => spent / 1e6,
  }
}

/** Rounded up: a cap is never passed by a fraction. */
function micro(usd: number): number {
  return Math.ceil(Math.round(usd * 1e9) / 1e3)
}
