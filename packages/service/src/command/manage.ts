import { UsageError } from '@farebox/command-line'
import { administer } from '../app/administration.js'
import type { Reconciled } from '../domain/reconciliation/reconcile.js'
import { manageKeys } from './manage-keys.js'
import { callOperator, manageMoney } from './manage-money.js'
import type { MoneySettings } from './settings/money-settings.js'
import { print } from './print.js'
import type { Settings } from './settings/settings.js'
import { storageOptions } from './settings/settings.js'
import { contractCatalogue } from '../domain/models/catalogue.js'
import { readCatalogue } from '../domain/models/read-catalogue.js'

const toReconcileRequest = ({ reconcile, chainNodes: nodes, payees }: Settings) => ({
  ...reconcile,
  nodes,
  payees,
})

function printReconciled(results: readonly Reconciled[]): number {
  for (const result of results) {
    const { faults, summary } = describeResult(result)
    for (const fault of faults) process.stderr.write(`${fault}\n`)
    print(summary)
  }
  return results.every(({ differences, unchecked }) => differences.length === 0 && unchecked === 0)
    ? 0
    : 1
}

const err = (line: string) => void process.stderr.write(`farebox-service: ${line}\n`)

/** Runs a command that reads or changes the ledger. Resolves to the exit code. */
export async function manage(settings: Settings): Promise<number> {
  const { command, money, stakedTokens, partner, keys, onlyNew } = settings
  const setsAccount = stakedTokens !== undefined || partner !== undefined
  if (money?.command === 'credit' && money.usd === undefined && !setsAccount)
    throw new UsageError('Nothing to credit: give --usd, --staked or --partner.')
  const administration = await administer(storageOptions(settings))
  try {
    if (money?.command === 'credit' && (setsAccount || money.usd === 0)) {
      if (money.usd !== undefined && money.usd > 0)
        await administration.money.creditAccount({ ...money, amount: money.usd })
      print(await administration.set(money.account, { stakedTokens, partner }))
      return 0
    }
    if (money) return await manageMoney(administration.money, money, { out: print, err })
    if (keys) return await manageKeys(administration.keys, keys, { out: print, err, now: Date.now })
    if (command === 'reconcile')
      return printReconciled(await administration.reconcile(toReconcileRequest(settings)))
    if (command !== 'audit') return 0
    const { summary, faults } = await administration.audit({ onlyNew })
    for (const fault of faults) process.stderr.write(`${fault}\n`)
    print(summary)
    return faults.length === 0 ? 0 : 1
  } finally {
    await administration.close()
  }
}

/** Runs a command at the operator's API of a running service. Resolves to the exit code. */
export async function manageRemotely(
  { operatorKey, stakedTokens, partner }: Settings,
  money: MoneySettings,
): Promise<number> {
  if (money.operatorUrl === undefined) throw new Error('There is no URL to call')
  if (operatorKey === undefined)
    throw new UsageError(
      '--operator-url: found no key of the operator. Set FAREBOX_OPERATOR_KEY, or give --operator-key-file FILE.',
    )
  if (stakedTokens !== undefined || partner !== undefined)
    throw new UsageError(
      '--operator-url: found --staked, --partner or --no-partner as well, which the database takes only. Leave one of them out.',
    )
  return manageMoney(callOperator(money.operatorUrl, operatorKey), money, { out: print, err })
}

/** The lines of a result for an operator, the summary last. */
export function describeResult({ payments, unchecked, differences, troubles }: Reconciled): {
  readonly faults: readonly string[]
  readonly summary: string
} {
  const faults = differences.map(({ kind, transaction, payment, detail }) =>
    [
      kind,
      transaction === '' ? 'no transaction' : transaction,
      ...(payment === undefined ? [] : [payment]),
      detail,
    ].join('  '),
  )
  const left =
    unchecked === 0
      ? ''
      : ` ${unchecked} could not be compared${troubles.length === 0 ? ': no node is given for their chain' : ''}.`
  return {
    faults: [...faults, ...troubles.map((trouble) => `no answer  ${trouble}`)],
    summary: `${payments} payments: ${differences.length === 0 ? 'no difference' : `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}`}.${left}`,
  }
}

const schemaUrl = './node_modules/@farebox/service/catalogue.schema.json'

/** Prints the catalogue in force, as a file that makes it. */
export function printCatalogue({ catalogue: file }: Pick<Settings, 'catalogue'>): number {
  const { settings } = file === undefined ? contractCatalogue : readCatalogue(file)
  print(JSON.stringify({ $schema: schemaUrl, ...settings }, null, 2))
  return 0
}
