import type { LedgerEntry } from '@farebox/types'
import type { Context, Run } from '../command.js'
import { allowedCallers, connect } from '../connect.js'
import { csvLine } from '../csv.js'
import { UsageError } from '../errors.js'
import { printJsonItems } from '../json-output.js'
import { note, print, printLine, table } from '../terminal.js'

type Entries = Iterable<LedgerEntry> | AsyncIterable<LedgerEntry>

/** The wallet's ledger, newest first: one page, or with --all every entry as it arrives. */
export const transactions: Run = async (context) => {
  const { arguments: given, signal, terminal } = context
  if (given.has('csv') && given.has('json'))
    throw new UsageError('--csv and JSON are two forms of the same list. Give one of them.')
  const { farebox, address = '' } = await connect(context, allowedCallers('listTransactions'))
  if (given.has('all')) {
    await write(context, farebox.transactions(address, { signal }))
    return 0
  }
  const [limit, offset] = [
    given.integer('limit', 1, 100) ?? 50,
    given.integer('offset', 0, Number.MAX_SAFE_INTEGER) ?? 0,
  ]
  const data = await farebox.listTransactions({ walletAddress: address, limit, offset }, { signal })
  await write(context, data.transactions)
  if (data.pagination.hasMore)
    note(terminal, `There is more: --offset ${offset + data.transactions.length}, or --all.`)
  return 0
}

/** The output starts before the last page has arrived. */
async function write({ arguments: given, terminal }: Context, entries: Entries): Promise<void> {
  if (given.has('json')) return printJsonItems(terminal, entries)
  if (given.has('csv')) return writeCsv(terminal, entries)
  let count = 0
  for await (const { createdAt, amount, balanceAfter, type, modelId } of entries) {
    if (count++ === 0) await printLine(terminal, row('TIME', 'AMOUNT', 'BALANCE', 'TYPE', 'MODEL'))
    await printLine(
      terminal,
      row(createdAt, amount.toFixed(6), balanceAfter.toFixed(6), type, modelId ?? ''),
    )
  }
  if (count === 0) note(terminal, 'There are no transactions yet.')
}

async function writeCsv(terminal: Context['terminal'], entries: Entries): Promise<void> {
  await print(
    terminal,
    csvLine(['createdAt', 'type', 'amountUsd', 'balanceAfterUsd', 'modelId', 'requestId', 'id']),
  )
  for await (const { createdAt, type, amount, balanceAfter, modelId, requestId, id } of entries) {
    await print(terminal, csvLine([createdAt, type, amount, balanceAfter, modelId, requestId, id]))
  }
}

function row(time: string, amount: string, after: string, type: string, model: string): string {
  return table([[time.padEnd(24), amount.padStart(14), after.padStart(14), type.padEnd(8), model]])
}
