import type { paths, RateLimits, TransactionHistory } from '@farebox/types'
import type { LedgerState } from '../session/ledger-state.js'
import { serviceOrigin, type Session } from '../session/session.js'
import { createCaller } from './caller.js'

const transactions = '/x402/transactions/{walletAddress}' satisfies keyof paths
const limits = '/api_keys/rate_limits' satisfies keyof paths

const shownRows = 10

/** Asks for the balance of a key, or for a wallet's newest entries, which have its balance too. */
export async function readLedger(
  session: Session,
  access: LedgerState['access'],
): Promise<LedgerState> {
  if (access === 'key') {
    const { data } = (await ask(session, access, limits)) as RateLimits
    return { access, balanceUsd: data.balances.USD ?? 0, rows: [] }
  }
  const address = session.wallet?.signer.address ?? ''
  const path = `${transactions.replace('{walletAddress}', address)}?limit=${shownRows}`
  const { data } = (await ask(session, access, path)) as TransactionHistory
  return { access, balanceUsd: data.currentBalance, rows: data.transactions }
}

/** These requests are ours, so the trace does not show them. */
async function ask(
  session: Session,
  access: LedgerState['access'],
  path: string,
): Promise<unknown> {
  const response = await createCaller(
    { ...session, access },
    () => undefined,
  )(`${serviceOrigin(session)}/api/v1${path}`)
  if (!response.ok) throw new Error(`The ledger answers ${response.status}.`)
  return response.json()
}
