import { UsageError } from '@farebox/command-line'
import type { KeyAdministration } from '../domain/accounts/key-administration.js'
import type { KeyRecord, KeyUsage } from '../domain/accounts/key-records.js'
import { toKeyJson, toUsageJson } from '../domain/accounts/key-rules.js'
import { formatUsd } from '../domain/ledger/money.js'
import { stripControls } from './print.js'
import type { KeySettings } from './settings/manage-settings.js'

/** As many as an account can have. */
const maxKeys = 500

type KeyOutput = {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
}

/**
 * Runs a command about API keys. Resolves to the exit code: 1 for a key that does not exist or has
 * ended. `create` and `rotate` print nothing but the secret, so that scripts can read it.
 */
export async function manageKeys(
  keys: KeyAdministration,
  settings: KeySettings,
  { out, err }: KeyOutput,
): Promise<number> {
  const {
    action,
    id,
    account,
    state,
    type,
    limit,
    period,
    expiresAt,
    graceMs,
    days,
    json,
    description,
  } = settings
  const show = (value: unknown, text: () => string) => {
    out(json ? JSON.stringify(value, null, 2) : text())
    return 0
  }
  const reject = (sentence: string) => {
    err(sentence)
    return 1
  }
  const rejectUnknownKey = () =>
    reject(`There is no key ${id}. "farebox-service keys list" prints their ids.`)
  if (action === 'list') {
    const page = await keys.list({
      ...(account !== undefined && { account }),
      ...(state && { state }),
      limit: maxKeys,
      offset: 0,
    })
    if (page.hasMore)
      err(`These are the newest ${maxKeys}. Give --account or --state for the others.`)
    return show(page.keys.map(toKeyJson), () => formatKeys(page.keys))
  }
  if (action === 'create') {
    const wish = {
      limit: limit ?? {},
      ...(period && { period }),
      ...(typeof expiresAt === 'number' && { expiresAt }),
    }
    const newKey = await keys.create({
      account: account ?? 'admin',
      type,
      description: description ?? '',
      ...wish,
    })
    if (newKey.status === 'frozen')
      return reject('No key was created: the account is frozen. Unfreeze it first.')
    if (newKey.status !== 'created')
      return reject('No key was created: the account has the maximum number of active keys.')
    const record = await keys.read(newKey.key.id)
    return show({ ...(record && toKeyJson(record)), secret: newKey.secret }, () => newKey.secret)
  }
  if (action === 'usage') {
    const usage = await keys.usage(id, days)
    return usage ? show(usage.map(toUsageJson), () => formatUsage(usage)) : rejectUnknownKey()
  }
  if (action === 'show') {
    const key = await keys.read(id)
    return key ? show(toKeyJson(key), () => formatKey(key)) : rejectUnknownKey()
  }
  const change = {
    ...(description !== undefined && { description }),
    ...(limit !== undefined && { limit }),
    ...(period && { period }),
    ...(expiresAt !== undefined && { expiresAt }),
  }
  const done =
    action === 'limit'
      ? await keys.change(id, change)
      : action === 'rotate'
        ? await keys.rotate(id, graceMs)
        : await keys.revoke(id)
  if (done.status === 'unknown') return rejectUnknownKey()
  if (done.status === 'beyond maker') throw new UsageError(`${done.field}: ${done.message}`)
  const { key } = done
  if (done.status === 'ended')
    return reject(`The key ${id} is ${key.state} and cannot be changed. Create another one.`)
  if (done.status === 'rotated')
    return show({ ...toKeyJson(key), secret: done.secret }, () => done.secret)
  return show(toKeyJson(key), () => formatKey(key))
}

/** Keys as rows of a table. */
function formatKeys(keys: readonly KeyRecord[]): string {
  const rows = keys.map((key) => [
    key.id,
    key.account,
    key.type,
    key.state,
    key.lastUsedAt === undefined ? 'never' : formatDate(key.lastUsedAt),
    formatLimit(key),
    key.description,
  ])
  return formatTable([
    ['ID', 'ACCOUNT', 'TYPE', 'STATE', 'LAST USED', 'LIMIT', 'DESCRIPTION'],
    ...rows,
  ])
}

/** One key, one field per line. */
function formatKey(key: KeyRecord): string {
  const time = (name: string, value: number | undefined): readonly string[][] =>
    value === undefined ? [] : [[name, formatDate(value)]]
  return formatTable([
    ['id', key.id],
    ['account', key.account],
    ['type', key.type],
    ['state', key.state],
    ['description', key.description],
    ['limit', formatLimit(key)],
    ['consumed', `${key.consumed.usd} USD, ${key.consumed.diem} diem`],
    ['made by', key.madeBy ?? 'the operator'],
    ...time('created', key.createdAt),
    ...time('expires', key.expiresAt),
    ...time('rotated', key.rotatedAt),
    ...time('old secret until', key.previousSecretUntil),
    ...time('revoked', key.revokedAt),
    ['last used', key.lastUsedAt === undefined ? 'never' : formatDate(key.lastUsedAt)],
  ])
}

function formatUsage(usage: readonly KeyUsage[]): string {
  const rows = usage.map(({ day, model, calls, refunds, usd, dailyCredit }) => [
    day,
    model ?? '-',
    String(calls),
    String(refunds),
    formatSigned(usd),
    formatSigned(dailyCredit),
  ])
  return formatTable([['DAY', 'MODEL', 'CALLS', 'REFUNDS', 'USD', 'DAILY CREDIT'], ...rows])
}

function formatSigned(amount: bigint): string {
  return amount < 0n ? `-${formatUsd(-amount)}` : formatUsd(amount)
}

function formatLimit({ limit, period }: KeyRecord): string {
  const parts = Object.entries(limit).map(
    ([unit, amount]) => `${amount} ${unit === 'usd' ? 'USD' : unit}`,
  )
  return parts.length === 0 ? 'none' : `${parts.join(', ')} (${period})`
}

function formatDate(time: number): string {
  return new Date(time).toISOString()
}

function formatTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(stripControls))
  const widths = (cells[0] ?? []).map((_, at) =>
    Math.max(...cells.map((row) => (row[at] ?? '').length)),
  )
  return cells
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
