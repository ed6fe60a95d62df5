import { randomUUID } from 'node:crypto'
import { UsageError } from '@farebox/command-line'
import type { MoneyHandlers } from '../http/operator-api/money-handlers.js'
import { OperatorRefusal } from '../http/operator-api/refusal.js'
import type { MoneySettings } from './settings/money-settings.js'

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
      if (found.length > 0) return show(found, (all) => all.map((one) => foundText(one)).join('\n'))
      err(`Nothing was found by ${subject}.`)
      return 1
    }
    if (command === 'refund')
      return show(
        await tools.refundCharge({ entry: subject, amount: usd, ...correction }),
        correctionText,
      )
    if (command === 'freeze')
      return show(await tools.freezeAccount({ account, reason, actor }), accountText)
    if (command === 'unfreeze') return show(await tools.unfreezeAccount({ account }), accountText)
    if (usd === undefined) throw new UsageError(`${command}: found no amount. Give --usd.`)
    const move = command === 'credit' ? tools.creditAccount : tools.debitAccount
    return show(await move({ account, amount: usd, ...correction }), correctionText)
  } catch (error) {
    if (error instanceof OperatorRefusal) {
      err(error.message)
      return 1
    }
    if (error instanceof LostResponseError)
      err(`${error.message} Run the command again with --key ${key}, which does it once.`)
    else throw error
    return 1
  }
}

function correctionText({ account, entry, repeated }: Correction): string {
  const total = entry.amount + entry.dailyCredit
  const done = repeated ? 'was done before' : 'done'
  return `${entry.type} of ${Math.abs(total)} USD ${done}: entry ${entry.id}. ${account} has ${entry.balanceAfter} USD after it.`
}

function accountText({ account, spendable, held, dailyCredit, frozen }: Account): string {
  const state = frozen ? `, frozen since ${frozen.at} by ${frozen.by}: ${frozen.reason}` : ''
  return `${account} can spend ${spendable} USD and ${dailyCredit} USD of daily credit, ${held} USD are held${state}`
}

function foundText({
  by,
  id,
  account,
}: Awaited<ReturnType<MoneyHandlers['findAccounts']>>['found'][number]): string {
  return `${accountText(account)}${by === 'account' ? '' : ` (by ${by} ${id ?? ''})`}`
}

/** A request to a service of which nobody knows whether it was carried out. */
class LostResponseError extends Error {
  override readonly name = 'LostResponseError'
}

/** The same tools, at the operator's API of a running service. */
export function callOperator(url: string, operatorKey: string): MoneyHandlers {
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
    throw new OperatorRefusal(status, code, error)
  }
  const post =
    (path: string) =>
    ({ account, ...body }: { readonly account: string }) =>
      send(`/accounts/${encodeURIComponent(account)}/${path}`, body)
  return {
    findAccounts: ({ q }) => send(`/find?q=${encodeURIComponent(q)}`),
    refundCharge: ({ entry, ...body }) =>
      send(`/entries/${encodeURIComponent(entry)}/refund`, body),
    creditAccount: post('credit'),
    debitAccount: post('debit'),
    freezeAccount: post('freeze'),
    unfreezeAccount: post('unfreeze'),
  }
}
