import { randomUUID } from 'node:crypto'
import { UsageError } from '@farebox/command-line'
import { administer } from '../app/administration.js'
import { contractCatalogue } from '../domain/models/catalogue.js'
import { readCatalogue } from '../domain/models/read-catalogue.js'
import type { ReconciliationReport } from '../domain/reconciliation/reconcile.js'
import { OperatorError } from '../http/operator-api/handler-types.js'
import type { MoneyHandlers } from '../http/operator-api/money-handlers.js'
import { manageKeys } from './manage-keys.js'
import { print, stripControls } from './print.js'
import { requireDatabase } from './require-database.js'
import type { MoneySettings } from './settings/manage-settings.js'
import { type Settings, toStorageOptions } from './settings/settings.js'

const toReconcileRequest = ({ reconcile, chainNodes: nodes, payees }: Settings) => ({
  ...reconcile,
  nodes,
  payees,
})

function printReconciled(results: readonly ReconciliationReport[]): number {
  for (const result of results) {
    const { faults, summary } = describeResult(result)
    for (const fault of faults) process.stderr.write(`${fault}\n`)
    print(summary)
  }
  return results.every(({ differences, unchecked }) => differences.length === 0 && unchecked === 0)
    ? 0
    : 1
}

const printError = (line: string) => void process.stderr.write(`farebox-service: ${line}\n`)

/** Runs a command that reads or changes the ledger. Resolves to the exit code. */
export async function manage(settings: Settings): Promise<number> {
  const { command, money, stakedTokens, partner, keys, onlyNew } = settings
  const setsAccount = stakedTokens !== undefined || partner !== undefined
  if (money?.command === 'credit' && money.usd === undefined && !setsAccount)
    throw new UsageError('Nothing to credit: give --usd, --staked or --partner.')
  const isFirst = money?.command === 'credit' || keys?.action === 'create'
  if (!isFirst) requireDatabase(settings)
  const administration = await administer(toStorageOptions(settings))
  try {
    const output = { out: print, err: printError }
    if (money?.command === 'credit' && (setsAccount || money.usd === 0)) {
      const credits = money.usd !== undefined && money.usd > 0
      const code = credits ? await manageMoney(administration.money, money, output) : 0
      if (code !== 0) return code
      const account = await administration.set(money.account, { stakedTokens, partner })
      if (!(credits && money.json)) print(account)
      return 0
    }
    if (money) return await manageMoney(administration.money, money, output)
    if (keys) return await manageKeys(administration.keys, keys, output)
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

/** Runs a command on the operator's API of a running service. Resolves to the exit code. */
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
  return manageMoney(callOperator(money.operatorUrl, operatorKey), money, {
    out: print,
    err: printError,
  })
}

/** The lines of a result for an operator, the summary last. */
export function describeResult({
  payments,
  unchecked,
  differences,
  troubles,
}: ReconciliationReport): {
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
    faults: [...faults, ...troubles.map((trouble) => `no response  ${trouble}`)],
    summary: `${payments} payments: ${differences.length === 0 ? 'no difference' : `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}`}.${left}`,
  }
}

const schemaUrl = './node_modules/@farebox/service/catalogue.schema.json'

/** Prints the catalogue in use, as a file for `--catalogue`. */
export function printCatalogue({ catalogue: file }: Pick<Settings, 'catalogue'>): number {
  const { settings } = file === undefined ? contractCatalogue : readCatalogue(file)
  print(JSON.stringify({ $schema: schemaUrl, ...settings }, null, 2))
  return 0
}

type Output = {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
}

type Correction = Awaited<ReturnType<MoneyHandlers['refundCharge']>>
type Account = Awaited<ReturnType<MoneyHandlers['freezeAccount']>>

/** Runs a command that finds or corrects accounts. Resolves to the exit code. */
export async function manageMoney(
  tools: MoneyHandlers,
  { command, subject, account, usd, reason, actor, key = randomUUID(), json }: MoneySettings,
  { out, err }: Output,
): Promise<number> {
  const show = <T>(value: T, text: (value: T) => string) => {
    out(json ? JSON.stringify(value, null, 2) : text(value))
    return 0
  }
  const correction = { reason, actor, key }
  try {
    if (command === 'find') {
      const { found } = await tools.findAccounts({ q: subject })
      if (found.length > 0)
        return show(found, (all) => all.map((one) => describeFoundAccount(one)).join('\n'))
      err(`Nothing was found for "${subject}".`)
      return 1
    }
    if (command === 'debts')
      return show(
        await readDebts(tools),
        (all) => all.map(describeDebt).join('\n') || 'Nothing is owed.',
      )
    if (command === 'write-off')
      return show(
        await tools.writeOffDebt({ debt: subject, reason, actor }),
        ({ account: wallet, entry, amount }) =>
          `${amount} USD of ${wallet} written off: entry ${entry}. It can pay by upto again, unless it owes more.`,
      )
    if (command === 'refund')
      return show(
        await tools.refundCharge({ entry: subject, amount: usd, ...correction }),
        describeCorrection,
      )
    if (command === 'freeze')
      return show(await tools.freezeAccount({ account, reason, actor }), describeAccount)
    if (command === 'unfreeze')
      return show(await tools.unfreezeAccount({ account }), describeAccount)
    if (usd === undefined) throw new UsageError(`${command}: found no amount. Give --usd.`)
    const move = command === 'credit' ? tools.creditAccount : tools.debitAccount
    return show(await move({ account, amount: usd, ...correction }), describeCorrection)
  } catch (error) {
    if (error instanceof OperatorError) {
      err(error.message)
      return 1
    }
    if (!(error instanceof LostResponseError)) throw error
    const isOnce = command === 'refund' || command === 'credit' || command === 'debit'
    err(
      `${error.message} ${isOnce ? `Run the command again with --key ${key}, which does it once.` : 'It may be run again.'}`,
    )
    return 1
  }
}

function describeCorrection({ account, entry, repeated }: Correction): string {
  const total = entry.amount + entry.dailyCredit
  const done = repeated ? 'was done before' : 'done'
  return `${entry.type} of ${Math.abs(total)} USD ${done}: entry ${entry.id}. ${account} has ${entry.balanceAfter} USD after it.`
}

type DebtRecord = Awaited<ReturnType<MoneyHandlers['listDebts']>>['debts'][number]

async function readDebts(tools: Pick<MoneyHandlers, 'listDebts'>): Promise<DebtRecord[]> {
  const all: DebtRecord[] = []
  for (let hasMore = true; hasMore;) {
    const page = await tools.listDebts({ limit: 500, offset: all.length })
    all.push(...page.debts)
    hasMore = page.hasMore && page.debts.length > 0
  }
  return all
}

function describeDebt({ id, account, amount, requestId, since, settleUntil }: DebtRecord): string {
  return `${id}  ${account} owes ${amount} USD since ${since} for ${requestId}, can be settled until ${settleUntil}`
}

function describeAccount({ account, spendable, held, dailyCredit, frozen }: Account): string {
  const state = frozen
    ? `, frozen since ${frozen.at} by ${stripControls(`${frozen.by}: ${frozen.reason}`)}`
    : ''
  return `${account} can spend ${spendable} USD and ${dailyCredit} USD of daily credit, ${held} USD are held${state}`
}

function describeFoundAccount({
  by,
  id,
  account,
}: Awaited<ReturnType<MoneyHandlers['findAccounts']>>['found'][number]): string {
  return `${describeAccount(account)}${by === 'account' ? '' : ` (by ${by} ${id ?? ''})`}`
}

/** A request whose response was lost. It may have been carried out. */
class LostResponseError extends Error {
  override readonly name = 'LostResponseError'
}

/** The same tools, on the operator's API of a running service. */
function callOperator(url: string, operatorKey: string): MoneyHandlers {
  const send = async (path: string, body?: unknown): Promise<never> => {
    const init = {
      headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    }
    let status: number
    let answer: unknown
    try {
      const response = await fetch(`${url}/operator/v1${path}`, init)
      status = response.status
      answer = await response.json()
    } catch (cause) {
      throw new LostResponseError(`The operator's API at ${url} gave no response.`, { cause })
    }
    if (status === 200) return answer as never
    const { error = '', code = '' } = answer as { readonly error?: string; readonly code?: string }
    if (status >= 500)
      throw new LostResponseError(`The operator's API at ${url} responded ${status}: ${error}`)
    throw new OperatorError(status, code, error)
  }
  const post =
    (path: string) =>
    ({ account, ...body }: { readonly account: string }) =>
      send(`/accounts/${encodeURIComponent(account)}/${path}`, body)
  return {
    findAccounts: ({ q }) => send(`/find?q=${encodeURIComponent(q)}`),
    refundCharge: ({ entry, ...body }) =>
      send(`/entries/${encodeURIComponent(entry)}/refund`, body),
    listDebts: ({ limit, offset }) => send(`/debts?limit=${limit}&offset=${offset}`),
    writeOffDebt: ({ debt, ...body }) => send(`/debts/${encodeURIComponent(debt)}/write-off`, body),
    creditAccount: post('credit'),
    debitAccount: post('debit'),
    freezeAccount: post('freeze'),
    unfreezeAccount: post('unfreeze'),
  }
}
