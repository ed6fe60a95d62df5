import type { PaymentRequirements } from '@farebox/auth/verify'
import type { Database } from '../../platform/database/database.js'

/** `sent`: the settlement was sent, and its outcome is not known. */
export type OpenPayment =
  | { readonly state: 'new'; readonly lease: string }
  | { readonly state: 'sent'; readonly lease: string; readonly body: string }
  | { readonly state: 'settled'; readonly transaction: string }

/** Payments at a facilitator, stored so that they survive the process. */
export type OpenPayments = {
  /** Leases a new or an open payment. Undefined while another request has it. */
  readonly claim: (id: string) => Promise<OpenPayment | undefined>
  /** Stores the settlement before it is sent. A retry sends the same `body`. */
  readonly sending: (
    id: string,
    lease: string,
    body: string,
    requirements: PaymentRequirements,
  ) => Promise<void>
  readonly settled: (id: string, transaction: string) => Promise<void>
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

export type OpenPaymentsOptions = {
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
    claim: async (id) => {
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
        [id, lease, moment(now() + leaseMs), moment(now())],
      )
      if (!row) return undefined
      if (row.state === 'settled')
        return { state: 'settled', transaction: row.transaction_hash ?? '' }
      return row.state === 'sent' && row.body !== null
        ? { state: 'sent', lease, body: row.body }
        : { state: 'new', lease }
    },

    sending: async (id, lease, body, requirements) => {
      const rows = await database.query(
        `update open_payment set state = 'sent', body = $3, requirements = $4 where id = $1 and lease = $2 and state = 'new' returning id`,
        [id, lease, body, JSON.stringify(requirements)],
      )
      if (rows.length === 0)
        throw new Error(`Payments: ${id} was taken over by another request before it was sent`)
    },

    settled: async (id, transaction) => {
      await database.query(
        `update open_payment set state = 'settled', transaction_hash = $2, body = null, requirements = null where id = $1`,
        [id, transaction],
      )
    },

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
