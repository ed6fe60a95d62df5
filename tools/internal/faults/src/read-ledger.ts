import type pg from 'pg'
import type { EntryRow, LedgerRows } from './knowledge.js'

/** Reads the ledger as one moment has it. Amounts are in micro-USD. */
export async function readLedger(client: pg.Client): Promise<LedgerRows> {
  await client.query('begin isolation level repeatable read')
  try {
    const accounts = await client.query<{ name: string; balance: string; held: string }>(
      'select name, balance, held from account',
    )
    const entries = await client.query<
      Record<'name' | 'type' | 'amount', string> &
        Record<'request_id' | 'model_id' | 'key_id', string | null>
    >(
      'select a.name, e.type, e.amount, e.request_id, e.model_id, e.key_id from entry e join account a on a.id = e.account_id',
    )
    const videos = await client.query<{ id: string; state: string }>(
      'select id, state from video_job',
    )
    return {
      accounts: accounts.rows.map(({ name, balance, held }) => ({
        account: name,
        balance: BigInt(balance),
        held: BigInt(held),
      })),
      entries: entries.rows.map(
        ({
          name,
          type,
          amount,
          request_id: requestId,
          model_id: model,
          key_id: keyId,
        }): EntryRow => ({
          account: name,
          type,
          amount: BigInt(amount),
          requestId,
          model,
          keyId,
        }),
      ),
      videos: new Map(videos.rows.map(({ id, state }) => [id, state])),
    }
  } finally {
    await client.query('rollback')
  }
}
