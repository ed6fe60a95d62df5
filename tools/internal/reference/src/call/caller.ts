import { bearer, memoryPaymentStore, pay, signIn, type PaymentStore } from '@farebox/auth'
import { withMiddleware, type Middleware } from '@farebox/middleware'
import type { paths, RateLimits, TransactionHistory } from '@farebox/types'
import {
  type LedgerState,
  readServiceOrigin,
  type Session,
  type Wallet,
} from '../session/session.js'
import type { Tell } from '../wire/exchange.js'
import { recordExchanges, recordPayments, recordSignIns } from '../wire/record.js'

/** The largest payment for one press of a button. */
const topUpUsd = 5
const maxUsdPerDay = 100

export const topUpPath = '/x402/top-up' satisfies keyof paths

/** The payments of throw-away wallets, in memory. Those of browser wallets are stored by `pay`. */
const stores = new WeakMap<Wallet, PaymentStore>()

/** Creates a `fetch` with the session's credential, which records each step. */
export function createCaller(session: Session, record: Tell): typeof fetch {
  const { access, key, wallet } = session
  const origin = readServiceOrigin(session)
  const send = recordExchanges(record)
  if (access === 'none') return send
  if (access === 'key') return withMiddleware(send, bearer(key, { origin }))
  if (wallet === undefined) throw new Error('No wallet is connected.')
  const signs = skipTopUp(signIn(recordSignIns(wallet.signer, record), { origin }))
  if (wallet.payer === undefined) return withMiddleware(send, signs)
  const payer = recordPayments(wallet.payer, record)
  const limits = { origin, amountUsd: topUpUsd, maxUsdPerPayment: topUpUsd, maxUsdPerDay }
  return withMiddleware(
    send,
    pay(payer, {
      ...limits,
      ...(wallet.secret !== undefined && { store: createStore(wallet) }),
    }),
    signs,
  )
}

function createStore(wallet: Wallet): PaymentStore {
  const store = stores.get(wallet) ?? memoryPaymentStore()
  stores.set(wallet, store)
  return store
}

/** A top-up needs no sign-in: its payment identifies the wallet. */
function skipTopUp(signs: Middleware): Middleware {
  return (next) => {
    const signed = signs(next)
    return (call) => (call.url.endsWith(topUpPath) ? next(call) : signed(call))
  }
}

const transactions = '/x402/transactions/{walletAddress}' satisfies keyof paths
const limits = '/api_keys/rate_limits' satisfies keyof paths

const shownRows = 10

/** Reads the balance of a key, or the balance and the newest entries of a wallet. */
export async function readLedger(
  session: Session,
  access: LedgerState['access'],
): Promise<LedgerState> {
  if (access === 'key') {
    const { data } = (await fetchJson(session, access, limits)) as RateLimits
    return { access, balanceUsd: data.balances.USD ?? 0, rows: [] }
  }
  const address = session.wallet?.signer.address ?? ''
  const path = `${transactions.replace('{walletAddress}', address)}?limit=${shownRows}`
  const { data } = (await fetchJson(session, access, path)) as TransactionHistory
  return { access, balanceUsd: data.currentBalance, rows: data.transactions }
}

/** Requests of the console itself, which the trace does not show. */
async function fetchJson(
  session: Session,
  access: LedgerState['access'],
  path: string,
): Promise<unknown> {
  const response = await createCaller(
    { ...session, access },
    () => undefined,
  )(`${readServiceOrigin(session)}/api/v1${path}`)
  if (!response.ok) throw new Error(`The ledger responded with ${response.status}.`)
  return response.json()
}
