import type { Run } from '../command.js'
import { connect } from '../connect.js'
import { printJson } from '../json-output.js'
import { printLine, table } from '../terminal.js'

/** The balance of the wallet, or of the account of the API key. */
export const balance: Run = async (context) => {
  const { arguments: given, terminal, signal } = context
  const { farebox, as } = await connect(context, ['wallet', 'key'])
  if (as === 'wallet') {
    const data = await farebox.balance({ signal })
    if (given.has('json')) await printJson(terminal, data)
    else {
      const daily =
        data.diemBalanceUsd === undefined ? [] : [['daily credit', `${data.diemBalanceUsd} USD`]]
      await printLine(
        terminal,
        table([['wallet', data.walletAddress], ['credit', `${data.balanceUsd} USD`], ...daily]),
      )
    }
    return 0
  }
  const { balances } = await farebox.getRateLimits({}, { signal })
  if (given.has('json')) await printJson(terminal, balances)
  else
    await printLine(
      terminal,
      table(Object.entries(balances).map(([name, amount]) => [name, String(amount)])),
    )
  return 0
}
