import type { Context, Run } from '../command.js'
import { UsageError } from '../errors.js'
import { openKeySource, type Key } from '../key-source.js'
import { askOperator } from '../operator.js'
import { printJson } from '../json-output.js'
import { note, printLine, table } from '../terminal.js'
import { readKeyFields } from './key-fields.js'
import { showSecret } from './secret-output.js'

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
  const [account, state] = [given.text('account'), given.text('state')]
  const source = await openKeySource(context)
  const { keys, hasMore } = await source.list({
    ...(account !== undefined && { account }),
    ...(state !== undefined && { state }),
  })
  if (hasMore) note(terminal, 'These are the newest 500. Give --account or --state for the others.')
  if (given.has('json')) await printJson(terminal, keys)
  else await printLine(terminal, formatKeys(keys))
  return 0
}

export const keysShow: Run = async (context) =>
  show(context, await (await openKeySource(context)).read(readId(context)))

export const keysLimit: Run = async (context) => {
  const { arguments: given } = context
  const change = {
    ...readKeyFields(context),
    ...(given.has('no-limit') && { consumptionLimit: null }),
    ...(given.has('no-expiry') && { expiresAt: null }),
  }
  if (Object.keys(change).length === 0)
    throw new UsageError('Nothing to change: give a limit, --period, --expires or --description.')
  return show(context, await (await openKeySource(context)).change(readId(context), change))
}

export const keysRotate: Run = (context) =>
  showSecret(context, async () => {
    const graceSeconds = context.arguments.integer('grace', 0, 2_592_000) ?? 0
    const { id, ...rotated } = await (
      await openKeySource(context)
    ).rotate(readId(context), graceSeconds)
    return { ...rotated, summary: `a new secret of key ${id}` }
  })

export const keysRevoke: Run = async (context) =>
  show(context, await (await openKeySource(context)).revoke(readId(context)))

export const keysUsage: Run = async (context) => {
  const { arguments: given, terminal } = context
  const query = { days: String(given.integer('days', 1, 366) ?? 30) }
  const { usage } = await askOperator<{ readonly usage: readonly Usage[] }>(context, {
    method: 'GET',
    path: `/keys/${encodeURIComponent(readId(context))}/usage`,
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
  else
    await printLine(
      terminal,
      table([['DAY', 'MODEL', 'CALLS', 'REFUNDS', 'USD', 'DAILY CREDIT'], ...rows]),
    )
  return 0
}

function readId({ arguments: { operands } }: Context): string {
  return operands[0] ?? ''
}

/** Accounts are a column for the operator alone. */
function formatKeys(keys: readonly Key[]): string {
  const hasAccounts = keys.some(({ account }) => account !== undefined)
  const row = (id: string, account: string, ...others: readonly string[]) => [
    id,
    ...(hasAccounts ? [account] : []),
    ...others,
  ]
  const rows = keys.map((key) =>
    row(
      key.id,
      key.account ?? '',
      key.apiKeyType,
      key.state,
      key.lastUsedAt ?? 'never',
      formatLimit(key),
      key.description,
    ),
  )
  return table([
    row('ID', 'ACCOUNT', 'TYPE', 'STATE', 'LAST USED', 'LIMIT', 'DESCRIPTION'),
    ...rows,
  ])
}

async function show({ arguments: given, terminal }: Context, key: Key): Promise<number> {
  if (given.has('json')) {
    await printJson(terminal, key)
    return 0
  }
  const fact = (name: string, value: string | undefined): readonly string[][] =>
    value === undefined ? [] : [[name, value]]
  await printLine(
    terminal,
    table([
      ['id', key.id],
      ...fact('account', key.account),
      ['type', key.apiKeyType],
      ['state', key.state],
      ['description', key.description],
      ['limit', formatLimit(key)],
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

function formatLimit({ consumptionLimit, limitPeriod }: Key): string {
  const parts = Object.entries(consumptionLimit).map(
    ([unit, amount]) => `${amount} ${unit === 'usd' ? 'USD' : unit}`,
  )
  return parts.length === 0 ? 'none' : `${parts.join(', ')} (${limitPeriod})`
}
