import type { VerifiedUptoPayment } from '@farebox/auth/verify'
import type { Database } from '../../platform/database/database.js'
import type { PaidWork } from '../ledger/charge-payment.js'
import type { Payment } from '../ledger/ledger-types.js'
import type { MicroUsd } from '../ledger/money.js'

/** What a settlement is for. `amount` is what is owed. */
export type Due = {
  readonly payment: Omit<Payment, 'id' | 'settledBy' | 'transaction'> & { readonly kind: 'evm' }
  readonly work: PaidWork
  /** When its permit ends, in milliseconds since 1970. */
  readonly settleUntil: number
}

export function toDue(payment: VerifiedUptoPayment, owed: MicroUsd, work: PaidWork): Due {
  const { network, asset, payer, nonce, validBefore } = payment
  return {
    payment: { kind: 'evm', network, asset, payer, nonce, amount: owed },
    work,
    settleUntil: Number(validBefore) * 1000,
  }
}

export function writeDue({ payment, work, settleUntil }: Due): string {
  const cost = work.cost === null ? null : String(work.cost)
  return JSON.stringify({
    payment: { ...payment, amount: String(payment.amount) },
    work: { ...work, cost },
    settleUntil,
  })
}

export function readDue(text: string): Due {
  const { payment, work, settleUntil } = JSON.parse(text) as {
    readonly payment: Omit<Due['payment'], 'amount'> & { readonly amount: string }
    readonly work: Omit<PaidWork, 'cost'> & { readonly cost: string | null }
    readonly settleUntil: number
  }
  return {
    payment: { ...payment, amount: BigInt(payment.amount) },
    work: { ...work, cost: work.cost === null ? null : BigInt(work.cost) },
    settleUntil,
  }
}

/** Delivered work whose payment of the scheme `upto` was not settled. */
export type Debt = Due & {
  /** The id of the payment. */
  readonly id: string
  /** When the call was paid for, in milliseconds since 1970. */
  readonly since: number
}

/** The oldest first. */
export async function listDebts(
  database: Database,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly debts: readonly Debt[]; readonly hasMore: boolean }> {
  const rows = await database.query<DebtRow>(
    `${debtsSql} order by created_at, id limit $1 offset $2`,
    [limit + 1, offset],
  )
  return { debts: rows.slice(0, limit).map(toDebt), hasMore: rows.length > limit }
}

export async function findDebt(database: Database, id: string): Promise<Debt | undefined> {
  const [row] = await database.query<DebtRow>(`${debtsSql} and id = $1`, [id])
  return row && toDebt(row)
}

type DebtRow = { readonly id: string; readonly due: string; readonly created_at: Date }

const debtsSql = 'select id, due, created_at from open_payment where unsettled and due is not null'

function toDebt({ id, due, created_at: since }: DebtRow): Debt {
  return { ...readDue(due), id, since: since.getTime() }
}
