import { bearer, memoryPaymentStore, pay, signIn, type PaymentStore } from '@farebox/auth'
import { withMiddleware, type Middleware } from '@farebox/middleware'
import type { paths } from '@farebox/types'
import { serviceOrigin, type Session } from '../session/session.js'
import type { Wallet } from '../session/wallet.js'
import type { Tell } from '../wire/exchange.js'
import { recordingFetch } from '../wire/recording-fetch.js'
import { recordingPayer, recordingSigner } from '../wire/recording-signer.js'

/** What one press of a button may pay. */
export const topUpUsd = 5
const maxUsdPerDay = 100

export const topUpPath = '/x402/top-up' satisfies keyof paths

/** Payments of a throw-away wallet end with it. Those of a browser wallet outlive the page. */
const stores = new WeakMap<Wallet, PaymentStore>()

/** A fetch with what the session's credential adds, which tells of each step. */
export function createCaller(session: Session, record: Tell): typeof fetch {
  const { access, key, wallet } = session
  const origin = serviceOrigin(session)
  const send = recordingFetch(record)
  if (access === 'none') return send
  if (access === 'key') return withMiddleware(send, bearer(key, { origin }))
  if (wallet === undefined) throw new Error('There is no wallet.')
  const signs = exceptTopUp(signIn(recordingSigner(wallet.signer, record), { origin }))
  if (wallet.payer === undefined) return withMiddleware(send, signs)
  const payer = recordingPayer(wallet.payer, record)
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

/** A top-up names its wallet by the payment, and needs no sign-in. */
function exceptTopUp(signs: Middleware): Middleware {
  return (next) => {
    const signed = signs(next)
    return (call) => (call.url.endsWith(topUpPath) ? next(call) : signed(call))
  }
}
