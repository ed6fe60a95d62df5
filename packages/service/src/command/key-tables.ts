import type { KeyRecord } from '../domain/accounts/key-records.js'
import type { KeyUsage } from '../domain/accounts/key-usage.js'
import { formatUsd } from '../domain/ledger/money.js'

/** Keys as rows of a table. */
export function keyTable(keys: readonly KeyRecord[]): string {
  const rows = keys.map((key) => [
    key.id,
    key.account,
    key.type,
    key.state,
    key.lastUsedAt === undefined ? 'never' : dateOf(key.lastUsedAt),
    limitText(key),
    key.description,
  ])
  return table([['ID', 'ACCOUNT', 'TYPE', 'STATE', 'LAST USED', 'LIMIT', 'DESCRIPTION'], ...rows])
}

/** One key, a fact a line. */
export function keyText(key: KeyRecord): string {
  const time = (name: string, value: number | undefined): readonly string[][] => (value === undefined ? [] : [[name, dateOf(value)]])
  return table([
    ['id', key.id],
    ['account', key.account],
    ['type', key.type],
    ['state', key.state],
    ['description', key.description],
    ['limit', limitText(key)],
    ['consumed', `${key.consumed.usd} USD, ${key.consumed.diem} diem`],
    ['made by', key.madeBy ?? 'the operator'],
    ...time('created', key.createdAt),
    ...time('expires', key.expiresAt),
    ...time('rotated', key.rotatedAt),
    ...time('old secret until', key.previousSecretUntil),
    ...time('revoked', key.revokedAt),
    ['last used', key.lastUsedAt === undefined ? 'never' : dateOf(key.lastUsedAt)],
  ])
}

export function usageTable(usage: readonly KeyUsage[]): string {
  const rows = usage.map(({ day, model, calls, refunds, usd, dailyCredit }) => [
    day,
    model ?? '-',
    String(calls),
    String(refunds),
    formatSigned(usd),
    formatSigned(dailyCredit),
  ])
  return table([['DAY', 'MODEL', 'CALLS', 'REFUNDS', 'USD', 'DAILY CREDIT'], ...rows])
}

function formatSigned(amount: bigint): string {
  return amount < 0n ? `-${formatUsd(-amount)}` : formatUsd(amount)
}

function limitText({ limit, period }: KeyRecord): string {
  const parts = Object.entries(limit).map(([unit, amount]) => `${amount} ${unit === 'usd' ? 'USD' : unit}`)
  return parts.length === 0 ? 'none' : `${parts.join(', ')} (${period})`
}

function dateOf(time: number): string {
  return new Date(time).toISOString()
}

function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(plain))
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((row) => (row[at] ?? '').length)))
  return cells
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** A description must not move the cursor of the operator, or clear the screen. */
function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\uFFFD')
}
