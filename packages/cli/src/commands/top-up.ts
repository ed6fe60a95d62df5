import { prices } from '@farebox/types/operations'
import type { Run } from '../command.js'
import { confirmPrice } from '../confirm-price.js'
import { allowedCallers, connect } from '../connect.js'
import { UsageError } from '../errors.js'
import { printJson } from '../json-output.js'
import { createProgress } from '../progress.js'
import { printLine } from '../terminal.js'

/** Buys credit for exactly the stated amount. It signs no other payment. */
export const topUp: Run = async (context) => {
  const { arguments: given, terminal, signal } = context
  const [text = ''] = given.operands
  const amount = /^\d+(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN
  if (!(amount >= prices.minimumTopUpUsd)) {
    throw new UsageError(
      `The amount is ${JSON.stringify(text)}; expected USD such as 10 or 12.50, ${prices.minimumTopUpUsd} or more.`,
    )
  }
  const { farebox, address = '' } = await connect(context, allowedCallers('topUp'))
  await confirmPrice(context, { what: `Credit for ${address}`, usd: amount, isStated: true })
  const progress = createProgress(terminal)
  try {
    progress.report(`paying ${amount} USD`)
    const data = await farebox.topUp(amount, { signal })
    progress.done()
    if (given.has('json')) await printJson(terminal, data)
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
