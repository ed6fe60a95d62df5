import { Refusal } from '../errors.js'

/** The amount that the tools may spend. */
export type Budget = {
  /**
   * Reserves a price before anything is sent, so that parallel calls cannot spend the same dollar.
   * Throws `Refusal` beyond a cap. Release a price only if it was certainly not charged.
   */
  readonly reserve: (usd: number, what: string) => { readonly release: () => void }
  readonly spentUsd: () => number
}

export type Caps = { readonly maxUsdPerCall: number; readonly maxUsd: number }

/** Counts in whole micro-USD, like the service: sums of fractions would drift. */
export function createBudget({ maxUsdPerCall, maxUsd }: Caps): Budget {
  const [perCall, total] = [micro(maxUsdPerCall), micro(maxUsd)]
  let spent = 0
  return {
    reserve: (usd, what) => {
      const price = micro(usd)
      if (!Number.isSafeInteger(price) || price < 0)
        throw new Refusal('price_unknown', `${what}: its price is unknown, so nothing was sent.`)
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
      let released = false
      return {
        release: () => {
          if (!released) spent -= price
          released = true
        },
      }
    },
    spentUsd: () => spent / 1e6,
  }
}

/** Rounds up, so that a cap is not exceeded by a fraction. */
function micro(usd: number): number {
  return Math.ceil(Math.round(usd * 1e9) / 1e3)
}
