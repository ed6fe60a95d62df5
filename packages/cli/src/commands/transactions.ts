import type { LedgerEntry } from '@farebox/types'
import type { Context, Run } from '../command.js'
import { callersOf, connect } from '../connect.js'
import { note, print, printLine, table } from '../terminal.js'

/** The wallet's ledger, newest first: one page, or with --all every entry as it arrives. */
export const transactions: Run = async (context) => {
  const { arguments: given, signal, terminal } = context
  const { farebox, address = '' } = await connect(context, callersOf('listTransactions'))
  if (given.has('all')) {
    await write(context, farebox.transactions(address, { signal }))
    return 0
  }
  const [limit, offset] = [given.number('limit', 1) ?? 50, given.number('offset', 0) ?? 0]
  const { data } = await farebox.listTransactions({ walletAddress: address, limit, offset }, { signal })
  await write(context, data.transactions)
  if (data.pagination.hasMore) note(terminal, `There is more: --offset ${offset + data.transactions.length}, or --all.`)
  return 0
}

/**
 * One JSON array, or one line for each entry. The output starts before the last page has arrived.
 */
async function write({ arguments: given, terminal }: Context, entries: Iterable<LedgerEntry> | AsyncIterable<LedgerEntry>): Promise<void> {
  let count = 0
  if (given.has('json')) {
    for await (const entry of entries) await print(terminal, `${count++ === 0 ? '[\n' : ',\n'}  ${JSON.stringify(entry)}`)
    return print(terminal, count === 0 ? '[]\n' : '\n]\n')
  }
  for await (const entry of entries) {
    const { createdAt, amount, balanceAfter, type, modelId } = entry
    if (count++ === 0) await printLine(terminal, row('TIME', 'AMOUNT', 'BALANCE', 'TYPE', 'MODEL'))
    await printLine(terminal, row(createdAt, amount.toFixed(6), balanceAfter.toFixed(6), type, modelId ?? ''))
  }
  if (count === 0) note(terminal, 'There are no transactions yet.')
}

function row(time: string, amount: string, after: string, type: string, model: string): string {
  return table([[time.padEnd(24), amount.padStart(14), after.padStart(14), type.padEnd(8), model]])
}
