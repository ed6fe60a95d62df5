import type { Context, Run } from '../command.js'
import { UsageError } from '../errors.js'
import { askOperator } from '../operator.js'
import { printJson } from '../json-output.js'
import { note, printLine, table } from '../terminal.js'
import { keyFieldsOf } from './key-fields.js'
import { showSecret } from './secret-output.js'

/** A key as the operator's API shows it. */
type Key = {
  readonly id: string
  readonly account: string
  readonly apiKeyType: string
  readonly state: string
  readonly description: string
  readonly consumptionLimit: Readonly<Record<string, number>>
  readonly limitPeriod: string
  readonly consumed: { readonly usd: number; readonly diem: number }
  readonly createdAt: string
  readonly madeBy?: string
  readonly expiresAt?: string
  readonly lastUsedAt?: string
  readonly rotatedAt?: string
  readonly previousSecretUntil?: string
  readonly revokedAt?: string
}

type Usage = {
  readonly day: string
  readonly model: string | null
  readonly calls: number
  readonly refunds: number
  readonly usd: number
  readonly dailyCredit: number
}

export const keysList: Run = async (context) => {
  const { arguments: given, terminal } = context
  const query = { account: given.text('account'), state: given.text('state'), limit: '500' }
  const { keys, hasMore } = await askOperator<{ readonly keys: readonly Key[]; readonly hasMore: boolean }>(context, {
    method: 'GET',
    path: '/keys',
    query,
  })
  if (hasMore) note(terminal, 'These are the newest 500. Give --account or --state for the others.')
  const rows = keys.map((key) => [key.id, key.account, key.apiKeyType, key.state, key.lastUsedAt ?? 'never', limitOf(key), key.description])
  if (given.has('json')) await printJson(terminal, keys)
  else await printLine(terminal, table([['ID', 'ACCOUNT', 'TYPE', 'STATE', 'LAST USED', 'LIMIT', 'DESCRIPTION'], ...rows]))
  return 0
}

export const keysShow: Run = async (context) => show(context, await askOperator<Key>(context, { method: 'GET', path: pathOf(context) }))

export const keysLimit: Run = async (context) => {
  const { arguments: given } = context
  const body = {
    ...keyFieldsOf(context),
    ...(given.has('no-limit') && { consumptionLimit: null }),
    ...(given.has('no-expiry') && { expiresAt: null }),
  }
  if (Object.keys(body).length === 0) throw new UsageError('Nothing to change: give a limit, --period, --expires or --description.')
  return show(context, await askOperator<Key>(context, { method: 'PATCH', path: pathOf(context), body }))
}

export const keysRotate: Run = (context) =>
  showSecret(context, async () => {
    const body = { graceSeconds: context.arguments.integer('grace', 0, 2_592_000) ?? 0 }
    const path = `${pathOf(context)}/rotate`
    const all = await askOperator<Key & { readonly secret: string }>(context, { method: 'POST', path, body })
    const { secret, ...others } = all
    return { secret, summary: `a new secret of key ${all.id}`, others, all }
  })

export const keysRevoke: Run = async (context) =>
  show(context, await askOperator<Key>(context, { method: 'POST', path: `${pathOf(context)}/revoke` }))

export const keysUsage: Run = async (context) => {
  const { arguments: given, terminal } = context
  const query = { days: String(given.integer('days', 1, 366) ?? 30) }
  const { usage } = await askOperator<{ readonly usage: readonly Usage[] }>(context, {
    method: 'GET',
    path: `${pathOf(context)}/usage`,
    query,
  })
  const rows = usage.map(({ day, model, calls, refunds, usd, dailyCredit }) => [
    day,
    model ?? '-',
    String(calls),
    String(refunds),
    usd.toFixed(6),
    dailyCredit.toFixed(6),
  ])
  if (given.has('json')) await printJson(terminal, usage)
  else await printLine(terminal, table([['DAY', 'MODEL', 'CALLS', 'REFUNDS', 'USD', 'DAILY CREDIT'], ...rows]))
  return 0
}

function pathOf({ arguments: { operands } }: Context): string {
  return `/keys/${encodeURIComponent(operands[0] ?? '')}`
}

async function show({ arguments: given, terminal }: Context, key: Key): Promise<number> {
  if (given.has('json')) {
    await printJson(terminal, key)
    return 0
  }
  const fact = (name: string, value: string | undefined): readonly string[][] => (value === undefined ? [] : [[name, value]])
  await printLine(
    terminal,
    table([
      ['id', key.id],
      ['account', key.account],
      ['type', key.apiKeyType],
      ['state', key.state],
      ['description', key.description],
      ['limit', limitOf(key)],
      ['consumed', `${key.consumed.usd} USD, ${key.consumed.diem} diem`],
      ['made by', key.madeBy ?? 'the operator'],
      ['created', key.createdAt],
      ...fact('expires', key.expiresAt),
      ...fact('rotated', key.rotatedAt),
      ...fact('old secret until', key.previousSecretUntil),
      ...fact('revoked', key.revokedAt),
      ['last used', key.lastUsedAt ?? 'never'],
    ]),
  )
  return 0
}

function limitOf({ consumptionLimit, limitPeriod }: Key): string {
  const parts = Object.entries(consumptionLimit).map(([unit, amount]) => `${amount} ${unit === 'usd' ? 'USD' : unit}`)
  return parts.length === 0 ? 'none' : `${parts.join(', ')} (${limitPeriod})`
}
