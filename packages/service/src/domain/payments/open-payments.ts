import type { PaymentRequirements } from '@farebox/auth/verify'
import type { Database } from '../../platform/database/database.js'

/** `sent`: the settlement was sent, and its outcome is not known. */
type OpenPayment =
  | { readonly state: 'new'; readonly lease: string }
  | { readonly state: 'sent'; readonly lease: string; readonly body: string }
  | { readonly state: 'settled'; readonly transaction: string }

/** Payments at a facilitator, stored so that they survive the process. */
export type OpenPayments = {
  /**
   * Leases a new or an open payment, by default for the time of a settlement. Undefined while
   * another request has it.
   */
  readonly claim: (id: string, leaseMs?: number) => Promise<OpenPayment | undefined>
  /**
   * Stores the settlement before it is sent. A retry sends the same `body`. `requirements` is what
   * the payment was signed for, and `owed` the work that it is settled for.
   */
  readonly sending: (
    id: string,
    lease: string,
    body: string,
    more: { readonly requirements: PaymentRequirements } | { readonly owed: Debt },
  ) => Promise<void>
  readonly settled: (id: string, transaction: string) => Promise<void>
  /** The ledger has the charge that the payment was settled for. */
  readonly charged: (id: string) => Promise<void>
  /** The settlement of delivered work failed. It is retried later, after longer and longer waits. */
  readonly unsettled: (id: string) => Promise<void>
  /** Whether delivered work of the wallet is not settled. */
  readonly isStopped: (payer: string) => Promise<boolean>
  /** Payments whose settlement is to be retried, or whose charge is not in the ledger yet. */
  readonly listDue: () => Promise<readonly { readonly id: string; readonly due: string }[]>
  /** Ends the lease of a payment with an unknown outcome, which stays open. */
  readonly endLease: (id: string, lease: string) => Promise<void>
  /** Deletes a payment for which nothing was moved. */
  readonly drop: (id: string, lease: string) => Promise<void>
  readonly isOpen: (id: string) => Promise<boolean>
  /** The offers that open payments were signed for. */
  readonly requirements: () => Promise<readonly PaymentRequirements[]>
  /** Ends all leases, for a database without other processes. */
  readonly endAllLeases: () => Promise<void>
}

/** Work that is to be charged once its payment is settled, as JSON. */
export type Debt = { readonly payer: string; readonly due: string }

type OpenPaymentsOptions = {
  readonly now: () => number
  /** Unique ids. */
  readonly id: () => string
  /** Longer than a request can take. */
  readonly leaseMs: number
}

export function createOpenPayments(
  database: Database,
  { now, id: leaseId, leaseMs }: OpenPaymentsOptions,
): OpenPayments {
  const moment = (time: number) => new Date(time).toISOString()
  return {
    claim: async (id, claimMs = leaseMs) => {
      const lease = leaseId()
      const [row] = await database.query<{
        state: 'new' | 'sent' | 'settled'
        body: string | null
        transaction_hash: string | null
      }>(
        `insert into open_payment (id, state, lease, lease_until, created_at) values ($1, 'new', $2, $3, $4)
         on conflict (id) do update set lease = excluded.lease, lease_until = excluded.lease_until
           where open_payment.state = 'settled' or open_payment.lease_until <= $4
         returning state, body, transaction_hash`,
        [id, lease, moment(now() + claimMs), moment(now())],
      )
      if (!row) return undefined
      if (row.state === 'settled')
        return { state: 'settled', transaction: row.transaction_hash ?? '' }
      return row.state === 'sent' && row.body !== null
        ? { state: 'sent', lease, body: row.body }
        : { state: 'new', lease }
    },

    sending: async (id, lease, body, more) => {
      const requirements = 'requirements' in more ? JSON.stringify(more.requirements) : null
      const { payer = null, due = null } = 'owed' in more ? more.owed : {}
      const rows = await database.query(
        `update open_payment set state = 'sent', body = $3, requirements = $4, payer = $5, due = $6, lease_until = greatest(lease_until, $7)
         where id = $1 and lease = $2 and state = 'new' returning id`,
        [id, lease, body, requirements, payer, due, moment(now() + leaseMs)],
      )
      if (rows.length === 0)
        throw new Error(`Payments: ${id} was taken over by another request before it was sent`)
    },

    settled: async (id, transaction) => {
      await database.query(
        `update open_payment set state = 'settled', transaction_hash = $2, body = null, requirements = null, unsettled = false where id = $1`,
        [id, transaction],
      )
    },

    charged: async (id) => {
      await database.query('update open_payment set due = null where id = $1', [id])
    },

    unsettled: async (id) => {
      // waits as long again as the payment has been open
      await database.query(
        `update open_payment set unsettled = true,
           lease_until = $2::timestamptz + least(greatest($2::timestamptz - created_at, interval '20 seconds'), interval '1 hour')
         where id = $1 and state = 'sent'`,
        [id, moment(now())],
      )
    },

    isStopped: async (payer) => {
      const rows = await database.query(
        'select 1 as stopped from open_payment where payer = $1 and unsettled limit 1',
        [payer],
      )
      return rows.length > 0
    },

    listDue: () =>
      database.query(
        'select id, due from open_payment where due is not null and lease_until <= $1 order by lease_until limit 20',
        [moment(now())],
      ),

    endLease: async (id, lease) => {
      await database.query(
        `update open_payment set lease_until = $3 where id = $1 and lease = $2`,
        [id, lease, moment(now())],
      )
    },

    drop: async (id, lease) => {
      await database.query(
        `delete from open_payment where id = $1 and lease = $2 and state <> 'settled'`,
        [id, lease],
      )
    },

    isOpen: async (id) => {
      const rows = await database.query(
        `select 1 as open from open_payment where id = $1 and state in ('sent', 'settled')`,
        [id],
      )
      return rows.length > 0
    },

    requirements: async () => {
      const rows = await database.query<{ requirements: string }>(
        `select distinct requirements from open_payment where state = 'sent' and requirements is not null limit 100`,
      )
      return rows.map(({ requirements }) => JSON.parse(requirements) as PaymentRequirements)
    },

    endAllLeases: async () => {
      await database.query(`update open_payment set lease_until = $1 where lease_until > $1`, [
        moment(now()),
      ])
    },
  }
}
