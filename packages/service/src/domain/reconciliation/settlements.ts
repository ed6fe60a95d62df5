import { isRecord } from '../../platform/unknown-value.js'

/** Money that a transaction moved, by another source than our ledger. Micro-USD. */
export type Settlement = {
  readonly transaction: string
  readonly payer: string
  readonly amount: bigint
}

/** A credited payment that a facilitator settled. */
export type SettledPayment = Settlement & {
  readonly id: string
  /** CAIP-2. */
  readonly network: string
  readonly asset: string
}

/**
 * `missing`: credited, and no such transaction moved money. `different`: it moved another amount,
 * or that of another payer. `extra`: it moved money without a credit.
 */
export type Difference = {
  readonly kind: 'missing' | 'different' | 'extra'
  readonly transaction: string
  /** Of the ledger; not for `extra`. */
  readonly payment?: string
  readonly detail: string
}

/** Names on EVM chains are hexadecimal in any case; those on Solana are base58. */
export function normalizeTransaction(name: string): string {
  return /^0x/i.test(name) ? name.toLowerCase() : name
}

/** A list of settlements that cannot be read. The message names the place. */
export class SettlementsError extends Error {
  override readonly name = 'SettlementsError'
}

/**
 * Reads settlements that a facilitator exported, as JSON (an array of objects) or as CSV with a
 * head. The fields are `transaction`, `payer` and `amount`, in USD such as 5 or 5.25. Other fields
 * are ignored. Throws a SettlementsError.
 */
export function readSettlements(file: string): readonly Settlement[] {
  const text = file.replace(/^\uFEFF/, '')
  const isJson = text.trimStart().startsWith('[')
  const rows = isJson ? parseJsonRows(text) : parseCsvRows(text)
  return rows.map((row, place) =>
    parseSettlement(row, isJson ? `item ${place + 1}` : `row ${place + 2}`),
  )
}

type Row = Readonly<Record<string, unknown>>

function parseSettlement({ transaction, payer, amount }: Row, where: string): Settlement {
  if (typeof transaction !== 'string' || transaction === '')
    throw createFieldError(where, 'transaction', 'the name of one')
  if (typeof payer !== 'string' || payer === '')
    throw createFieldError(where, 'payer', 'an address')
  const [, whole, fraction = ''] = /^(\d{1,12})(?:\.(\d{1,6}))?$/.exec(String(amount)) ?? []
  if (whole === undefined)
    throw createFieldError(where, 'amount', 'USD such as 5 or 5.25, with at most six decimals')
  return {
    transaction,
    payer,
    amount: BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0')),
  }
}

function createFieldError(where: string, field: string, expected: string): SettlementsError {
  return new SettlementsError(
    `${where}: ${field} is missing or has another form; expected ${expected}.`,
  )
}

function parseJsonRows(text: string): readonly Row[] {
  const value = parseJson(text)
  if (Array.isArray(value) && value.every(isRecord)) return value
  throw new SettlementsError('The settlements are not a JSON array of objects.')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseCsvRows(text: string): readonly Row[] {
  const [head = [], ...rows] = parseCells(text)
  const names = head.map((name) => name.trim().toLowerCase())
  for (const name of ['transaction', 'payer', 'amount']) {
    if (!names.includes(name))
      throw new SettlementsError(
        `The first row names no column "${name}"; expected transaction, payer and amount.`,
      )
  }
  return rows.map((cells) =>
    Object.fromEntries(names.map((name, place) => [name, (cells[place] ?? '').trim()])),
  )
}

/** The cells of a CSV text (RFC 4180). Empty lines are skipped. */
function parseCells(text: string): string[][] {
  const rows: string[][] = [['']]
  const append = (more: string) => {
    const row = rows.at(-1) ?? []
    row.push(`${row.pop() ?? ''}${more}`)
  }
  const parts = text.split('"')
  for (const [place, part] of parts.entries()) {
    const isQuoted = place % 2 === 1
    if (isQuoted) append(part)
    // nothing between two quoted parts: a quote within a cell
    else if (part === '' && place > 0 && place < parts.length - 1) append('"')
    else {
      for (const [line, cells] of part.split('\n').entries()) {
        if (line > 0) rows.push([''])
        const [first = '', ...others] = cells.replace(/\r$/, '').split(',')
        append(first)
        rows.at(-1)?.push(...others)
      }
    }
  }
  return rows.filter((cells) => cells.some((cell) => cell !== ''))
}
