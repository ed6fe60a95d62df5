import { createHash } from 'node:crypto'
import type { Operation } from '@farebox/types/operations'
import type { Services } from '../handlers/handler.js'
import { formatUsd, toMicroUsd, type MicroUsd } from '../ledger/money.js'
import { keyLimit, keyShort, walletShort } from '../payments/payment-required.js'
import type { Exchange } from './exchange.js'
import { keyConflict, type HttpError } from './http-error.js'
import type { Input } from './read-input.js'

/** What one request owes. The three steps are taken in this order. */
export type Sale = {
  /** Compares the request with the one that its Idempotency-Key was used for. */
  readonly recognize: (input: Input) => Promise<void>
  /** Takes the price, after the work and before the answer. */
  readonly settle: (modelId: string | null) => Promise<void>
}

export type Cashier = {
  /** Refuses at once, before the body is read, a caller who cannot pay. */
  readonly open: (operation: Operation, request: Request, exchange: Exchange) => Promise<Sale>
}

const free: Sale = { recognize: async () => undefined, settle: async () => undefined }

/**
 * Sells operations of a fixed price (`x-price-usd`). Balance is looked at before the work and taken after it, by a statement that cannot go below
 * zero: of two requests that want the last cent one is refused, after its work. A failed request costs nothing.
 */
export function createCashier({ ledger, terms }: Pick<Services, 'ledger' | 'terms'>): Cashier {
  return {
    open: async (operation, request, exchange) => {
      const { priceUsd } = operation as { readonly priceUsd?: number }
      const { caller } = exchange
      if (priceUsd === undefined || caller.kind === 'anonymous') return free
      const { account } = caller
      const price = toMicroUsd(priceUsd)
      const short = (balance: MicroUsd): HttpError => (caller.kind === 'wallet' ? walletShort(terms, balance, price) : keyShort())
      const key = request.headers.get('idempotency-key')
      // one that was charged is answered again, even to a caller who has nothing left
      const charged = key === null ? undefined : await ledger.findCharge({ account, operation: operation.id, key })
      const { usd, diem } = await ledger.funds(account)
      if (charged === undefined && usd + diem < price) throw short(usd)

      let fingerprint = ''
      const paid = (left: MicroUsd) => {
        if (caller.kind === 'wallet') exchange.balanceRemaining = formatUsd(left)
      }
      return {
        recognize: async (input) => {
          if (key === null) return
          fingerprint = fingerprintOf(input)
          if (charged !== undefined && charged !== fingerprint) throw keyConflict()
        },
        settle: async (modelId) => {
          const result = await ledger.charge({
            account,
            ...(caller.kind === 'key' && caller.keyId !== undefined && { keyId: caller.keyId }),
            amount: price,
            requestId: exchange.requestId,
            modelId,
            ...(key !== null && { idempotency: { operation: operation.id, key, fingerprint } }),
          })
          if (result.status === 'insufficient') throw result.reason === 'balance' ? short(result.balance) : keyLimit(result.reason)
          if (result.status === 'known' && result.fingerprint !== fingerprint) throw keyConflict()
          if (result.status === 'known') exchange.replayed = true
          paid(result.balance)
        },
      }
    },
  }
}

/** Tells two inputs apart. Files go in as bytes, so that nothing of them can be read from it. */
function fingerprintOf(input: Input): string {
  const hash = createHash('sha256')
  for (const [name, value] of Object.entries(input).sort(([one], [other]) => (one < other ? -1 : 1))) {
    const bytes = value instanceof Uint8Array ? value : JSON.stringify(value)
    hash.update(JSON.stringify([name, bytes.length]))
    hash.update(bytes)
  }
  return hash.digest('hex')
}
