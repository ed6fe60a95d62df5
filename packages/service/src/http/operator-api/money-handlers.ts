import {
  findAccounts,
  isAccountName,
  setFrozen,
  readAccount,
} from '../../domain/accounts/accounts.js'
import { findDebt, listDebts, type Debt } from '../../domain/payments/debts.js'
import type { CorrectionResult } from '../../domain/ledger/corrections.js'
import type { Entry } from '../../domain/ledger/ledger-types.js'
import { formatUsd, toMicroUsd, toUsd } from '../../domain/ledger/money.js'
import {
  type OperatorHandlers,
  type OperatorSources,
  invalidInput,
  notFound,
  OperatorError,
} from './handler-types.js'

export type MoneyHandlers = Pick<
  OperatorHandlers,
  | 'findAccounts'
  | 'refundCharge'
  | 'creditAccount'
  | 'debitAccount'
  | 'freezeAccount'
  | 'unfreezeAccount'
  | 'listDebts'
  | 'writeOffDebt'
>

type MoneySources = Pick<OperatorSources, 'database' | 'now'> & {
  readonly ledger: Pick<OperatorSources['ledger'], 'refundCharge' | 'grant' | 'debit' | 'writeOff'>
}

/** Handlers of manual changes to accounts and the ledger. */
export function createMoneyHandlers({ database, ledger, now }: MoneySources): MoneyHandlers {
  const read = async (account: string) => {
    const record = await readAccount(database, account, now())
    if (record === undefined) throw notFound(`account ${account}`)
    return record
  }
  return {
    findAccounts: async ({ q }) => {
      const found = await findAccounts(database, q, now())
      const accounts = new Map(
        await Promise.all(
          [...new Set(found.map(({ account }) => account))].map(
            async (account) => [account, await read(account)] as const,
          ),
        ),
      )
      return {
        found: found.flatMap(({ account: name, ...how }) => {
          const account = accounts.get(name)
          return account ? [{ ...how, account }] : []
        }),
      }
    },

    refundCharge: async ({ entry, amount, ...correction }) =>
      requireCorrection(
        await ledger.refundCharge(
          entry,
          amount === undefined ? undefined : toMicroUsd(amount),
          correction,
        ),
        `charge ${entry}`,
        (left) => `of the charge ${entry}, ${left} USD are left to refund`,
      ),

    creditAccount: async ({ account, amount, ...correction }) => {
      // a wallet is created by its first payment, never by a typo here
      if (!account.startsWith('key:') || !isAccountName(account)) await read(account)
      return requireCorrection(
        await ledger.grant(account, toMicroUsd(amount), correction),
        `account ${account}`,
        (left) => `the account has ${left} USD`,
      )
    },

    debitAccount: async ({ account, amount, ...correction }) =>
      requireCorrection(
        await ledger.debit(account, toMicroUsd(amount), correction),
        `account ${account}`,
        (left) => `the account can spend ${left} USD, and held credit cannot be taken`,
      ),

    freezeAccount: async ({ account, actor, reason }) => {
      if (!(await setFrozen(database, account, { actor, reason }, now())))
        throw notFound(`account ${account}`)
      return read(account)
    },

    unfreezeAccount: async ({ account }) => {
      if (!(await setFrozen(database, account, null, now()))) throw notFound(`account ${account}`)
      return read(account)
    },

    listDebts: async (place) => {
      const { debts, hasMore } = await listDebts(database, place)
      return { debts: debts.map(toDebtJson), hasMore }
    },

    writeOffDebt: async ({ debt: id, actor, reason }) => {
      const debt = await findDebt(database, id)
      if (!debt) throw notFound(`debt ${id}`)
      const { payment, work, settleUntil } = debt
      if (settleUntil > now())
        throw new OperatorError(
          409,
          'DEBT_CAN_BE_SETTLED',
          `The permit of ${id} can be settled until ${new Date(settleUntil).toISOString()}. Write it off after that.`,
        )
      const { payer, amount } = payment
      const entry = await ledger.writeOff({ id, payer, amount }, work, { actor, reason })
      // it was settled meanwhile
      if (entry === undefined) throw notFound(`debt ${id}`)
      return { account: payer, entry, amount: toUsd(amount) }
    },
  }
}

function toDebtJson({ id, payment, work, since, settleUntil }: Debt) {
  return {
    id,
    account: payment.payer,
    amount: toUsd(payment.amount),
    network: payment.network,
    requestId: work.requestId,
    modelId: work.modelId,
    since: new Date(since).toISOString(),
    settleUntil: new Date(settleUntil).toISOString(),
  }
}

/** An entry in the form of the operator's API. */
export function toEntryJson({ amount, balanceAfter, createdAt, dailyCredit, ...entry }: Entry) {
  return {
    ...entry,
    amount: toUsd(amount),
    dailyCredit: toUsd(dailyCredit),
    balanceAfter: toUsd(balanceAfter),
    createdAt: createdAt.toISOString(),
  }
}

function requireCorrection(
  result: CorrectionResult,
  what: string,
  describeRest: (left: string) => string,
): { account: string; entry: ReturnType<typeof toEntryJson>; repeated: boolean } {
  if (result.status === 'unknown') throw notFound(what)
  if (result.status === 'too much')
    throw invalidInput(`amount: This is too much: ${describeRest(formatUsd(result.left))}.`)
  const { account, entry } = result
  if (result.status === 'conflict')
    throw new OperatorError(
      409,
      'KEY_USED',
      `key: It belongs to another correction, the entry ${entry.id}. Use a new one.`,
    )
  return { account, entry: toEntryJson(entry), repeated: result.status === 'repeated' }
}
