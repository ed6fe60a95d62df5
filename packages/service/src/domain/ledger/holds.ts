import type { Database } from '../../platform/database/database.js'
import type { Balances } from './balances.js'
import type {
  HeldWork,
  Hold,
  HoldResult,
  LedgerOptions,
  Purchase,
  InsufficientBalance,
} from './ledger-types.js'
import { createHoldMany } from './hold-many.js'
import { createHoldOne } from './hold-one.js'
import { wasUndone } from './refusals.js'
import { shareStatements } from './share-statements.js'
import type { Unfinished } from '../../platform/unfinished.js'

export type Holds = {
  /**
   * Holds credit in one statement, which holds that come at once share. The balance does not go
   * below zero, nor beyond a limit of the API key. With `least`, it holds as much of the amount as
   * there is. The hold ends by itself after `lifetimeMs`.
   * With `work`, the statement also inserts a row for it, and rejects with nothing held when the
   * row is refused.
   */
  readonly hold: (purchase: Purchase, lifetimeMs: number, work?: HeldWork) => Promise<HoldResult>
}

export function createHolds(
  database: Database,
  options: LedgerOptions,
  spendable: Balances['spendable'],
  unfinished: Pick<Unfinished<string>, 'add'>,
): Holds {
  /** Reads the balance after the refusal, for the message alone. */
  const refuse = async ({
    account,
    keyId,
    amount: most,
    least: amount = most,
  }: Purchase): Promise<InsufficientBalance> => {
    const { usd, diem, isFrozen } = await spendable(account)
    if (isFrozen) return { status: 'insufficient', balance: usd, reason: 'frozen' }
    if (keyId === undefined || usd + diem < amount)
      return { status: 'insufficient', balance: usd, reason: 'balance' }
    if (await isRevoked(database, keyId))
      return { status: 'insufficient', balance: usd, reason: 'key revoked' }
    return {
      status: 'insufficient',
      balance: usd,
      reason: usd >= amount ? 'key limit usd' : 'key limit diem',
    }
  }
  const holdOne = createHoldOne(database, options)
  const holdOrRefuse = async (hold: Hold, work?: HeldWork): Promise<HoldResult> =>
    (await holdOne(hold, work)) ?? refuse(hold)
  const share = shareStatements<Hold, HoldResult>({
    subjectOf: ({ account }) => account,
    one: (hold) => holdOrRefuse(hold),
    many: createHoldMany(database, options),
  })
  return {
    // a hold for an API key goes alone: the limits of the key would be a second budget in every sum
    hold: async (purchase, lifetimeMs, work) => {
      const goesAlone =
        work !== undefined ||
        purchase.keyId !== undefined ||
        purchase.least !== undefined ||
        purchase.amount <= 0n
      const hold = { ...purchase, lifetimeMs, id: `hold_${options.id()}` }
      try {
        return await (goesAlone ? holdOrRefuse(hold, work) : share(hold))
      } catch (error) {
        // the hold may be there all the same; one with work is ended by its work
        if (!work && !wasUndone(error)) unfinished.add(hold.id)
        throw error
      }
    },
  }
}

/** A key is revoked with any key that it comes from. */
async function isRevoked(database: Database, keyId: string): Promise<boolean> {
  const rows = await database.query(
    `select from api_key where revoked_at is not null and id = any ((select ancestors || id from api_key where id = $1::uuid)::uuid[])`,
    [keyId],
  )
  return rows.length > 0
}
