import type { LedgerEntry } from '@farebox/types'
import { prices } from '@farebox/types/operations'
import { confirmPrice } from '../calls/confirm.js'
import { listAllowedCallers, connect } from '../calls/connect.js'
import { type Context, type CommandHandler, UsageError } from '../command.js'
import {
  printJson,
  printJsonItems,
  createProgress,
  note,
  print,
  printLine,
  formatTable,
} from '../io/terminal.js'

/** The balance of the wallet, or of the account of the API key. */
export const balance: CommandHandler = async (context) => {
  const { arguments: args, terminal, signal } = context
  const { farebox, as } = await connect(context, ['wallet', 'key'])
  if (as === 'wallet') {
    const data = await farebox.balance({ signal })
    if (args.has('json')) await printJson(terminal, data)
    else {
      const daily =
        data.diemBalanceUsd === undefined ? [] : [['daily credit', `${data.diemBalanceUsd} USD`]]
      await printLine(
        terminal,
        formatTable([
          ['wallet', data.walletAddress],
          ['credit', `${data.balanceUsd} USD`],
          ...daily,
        ]),
      )
    }
    return 0
  }
  const { balances } = await farebox.getRateLimits({}, { signal })
  if (args.has('json')) await printJson(terminal, balances)
  else
    await printLine(
      terminal,
      formatTable(Object.entries(balances).map(([name, amount]) => [name, String(amount)])),
    )
  return 0
}

/** The rate limits of the key, or with --log the last times that it reached one. */
export const limits: CommandHandler = async (context) => {
  const { arguments: args, terminal, signal } = context
  if (args.has('log')) {
    const { farebox } = await connect(context, listAllowedCallers('listRateLimitLogs'))
    const data = await farebox.listRateLimitLogs({}, { signal })
    if (args.has('json')) await printJson(terminal, data)
    else if (data.length === 0) note(terminal, 'No limit was reached.')
    else {
      const rows = data.map(({ timestamp, rateLimitType, modelId, apiKeyId }) => [
        timestamp,
        rateLimitType,
        modelId,
        apiKeyId,
      ])
      await printLine(terminal, formatTable([['TIME', 'LIMIT', 'MODEL', 'KEY'], ...rows]))
    }
    return 0
  }
  const { farebox } = await connect(context, listAllowedCallers('getRateLimits'))
  const data = await farebox.getRateLimits({}, { signal })
  if (args.has('json')) {
    await printJson(terminal, data)
    return 0
  }
  const { apiTier, accessPermitted, keyExpiration, nextEpochBegins } = data
  const facts = [
    ['tier', apiTier.id],
    ['access', accessPermitted ? 'permitted' : 'not permitted'],
    ['key expires', keyExpiration ?? 'never'],
    ['next day begins', nextEpochBegins],
  ]
  const rows = data.rateLimits.map(({ apiModelId, rateLimits }) => [
    apiModelId ?? '',
    rateLimits.map(({ amount, type }) => `${amount} ${type}`).join(', '),
  ])
  await printLine(
    terminal,
    `${formatTable(facts)}\n\n${formatTable([['MODEL', 'LIMITS'], ...rows])}`,
  )
  return 0
}

/** Buys credit of exactly the stated amount. Signs no other payment. */
export const topUp: CommandHandler = async (context) => {
  const { arguments: args, terminal, signal } = context
  const [text = ''] = args.operands
  const amount = /^\d+(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN
  if (!(amount >= prices.minimumTopUpUsd)) {
    throw new UsageError(
      `The amount is ${JSON.stringify(text)}; expected USD such as 10 or 12.50, ${prices.minimumTopUpUsd} or more.`,
    )
  }
  const { farebox, address = '' } = await connect(context, listAllowedCallers('topUp'))
  await confirmPrice(context, { what: `Credit for ${address}`, usd: amount, isStated: true })
  const progress = createProgress(terminal)
  try {
    progress.report(`paying ${amount} USD`)
    const data = await farebox.topUp(amount, { signal })
    progress.done()
    if (args.has('json')) await printJson(terminal, data)
    else
      await printLine(
        terminal,
        `${data.amountCredited} USD credited, ${data.newBalance} USD in all (payment ${data.paymentId})`,
      )
    return 0
  } finally {
    progress.done()
  }
}

type Entries = Iterable<LedgerEntry> | AsyncIterable<LedgerEntry>

/** The wallet's ledger, newest first: one page, or with --all every entry as it arrives. */
export const transactions: CommandHandler = async (context) => {
  const { arguments: args, signal, terminal } = context
  if (args.has('csv') && args.has('json'))
    throw new UsageError('--csv and JSON output cannot be combined.')
  const { farebox, address = '' } = await connect(context, listAllowedCallers('listTransactions'))
  if (args.has('all')) {
    await write(context, farebox.transactions(address, { signal }))
    return 0
  }
  const [limit, offset] = [
    args.integer('limit', 1, 100) ?? 50,
    args.integer('offset', 0, Number.MAX_SAFE_INTEGER) ?? 0,
  ]
  const data = await farebox.listTransactions({ walletAddress: address, limit, offset }, { signal })
  await write(context, data.transactions)
  if (data.pagination.hasMore)
    note(terminal, `There are more: use --offset ${offset + data.transactions.length}, or --all.`)
  return 0
}

/** Prints entries as they arrive. */
async function write({ arguments: args, terminal }: Context, entries: Entries): Promise<void> {
  if (args.has('json')) return printJsonItems(terminal, entries)
  if (args.has('csv')) return writeCsv(terminal, entries)
  let count = 0
  for await (const { createdAt, amount, balanceAfter, type, modelId } of entries) {
    if (count++ === 0)
      await printLine(terminal, formatRow('TIME', 'AMOUNT', 'BALANCE', 'TYPE', 'MODEL'))
    await printLine(
      terminal,
      formatRow(createdAt, amount.toFixed(6), balanceAfter.toFixed(6), type, modelId ?? ''),
    )
  }
  if (count === 0) note(terminal, 'There are no transactions yet.')
}

async function writeCsv(terminal: Context['terminal'], entries: Entries): Promise<void> {
  await print(
    terminal,
    formatCsvLine([
      'createdAt',
      'type',
      'amountUsd',
      'balanceAfterUsd',
      'modelId',
      'requestId',
      'id',
    ]),
  )
  for await (const { createdAt, type, amount, balanceAfter, modelId, requestId, id } of entries) {
    await print(
      terminal,
      formatCsvLine([createdAt, type, amount, balanceAfter, modelId, requestId, id]),
    )
  }
}

function formatRow(
  time: string,
  amount: string,
  after: string,
  type: string,
  model: string,
): string {
  return formatTable([
    [time.padEnd(24), amount.padStart(14), after.padStart(14), type.padEnd(8), model],
  ])
}

/**
 * A line of CSV (RFC 4180). A spreadsheet evaluates a cell that begins like a formula, and the
 * service may pass on text of third parties, so such a cell gets an apostrophe, which marks it as
 * text. Numbers stay numbers.
 */
export function formatCsvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

/** What spreadsheets read as a formula, also in full-width forms and after white space. */
const formula = /^[\s\0]*[=+\-@|%＝＋－＠]|^[\t\r\n]/

function toCell(cell: string | number | null): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return formatDecimal(cell)
  const text = formula.test(cell) ? `'${cell}` : cell
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Without an exponent, which some spreadsheets read as text: 0.0000004 and not 4e-7. */
function formatDecimal(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(12).replace(/\.?0+$/, '') : text
}
