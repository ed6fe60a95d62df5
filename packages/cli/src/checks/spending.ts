import { defaultPaymentFolder, folderPaymentStore } from '@farebox/auth/node'
import type { PaymentRecord } from '@farebox/auth'
import type { Context } from '../command.js'
import { limitUsd } from '../confirm-price.js'
import { UsageError } from '../errors.js'
import type { Settings } from '../settings.js'
import { failed, ok, skipped, warning, type Finding } from './finding.js'

/** The price above which commands ask first, and what this machine paid in the last 24 hours. */
export async function spending(
  context: Context,
  settings: Settings | undefined,
  now: () => number = Date.now,
): Promise<readonly Finding[]> {
  const asks =
    settings === undefined
      ? skipped('spending', 'the configuration cannot be read')
      : await cap(context)
  return [asks, await journal(defaultPaymentFolder(context.environment), now())]
}

async function cap(context: Context): Promise<Finding> {
  try {
    const limit = await limitUsd(context)
    return ok('spending', `commands ask above ${limit} USD (confirmAboveUsd)`)
  } catch (error) {
    if (error instanceof UsageError) return failed('spending', error.message)
    throw error
  }
}

/** An update that changes nothing reads the journal as a payment would, and writes nothing. */
async function journal(folder: string, now: number): Promise<Finding> {
  let records: readonly PaymentRecord[] = []
  try {
    await folderPaymentStore(folder).update((all) => (records = all))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return failed(
      'payments',
      `the journal cannot be read (${why})`,
      `Until it can, no wallet pays. Look at ${folder}.`,
    )
  }
  const open = records.filter(({ state, heldUntil }) => state === 'unanswered' && heldUntil > now)
  if (open.length > 0)
    return warning(
      'payments',
      `${usd(open)} USD were sent without a response, in ${folder}`,
      'farebox top-up with the same amount sends the same payment again.',
    )
  const today = records.filter(
    ({ state, signedAt }) => state === 'settled' && signedAt > now - 86_400_000,
  )
  return ok('payments', `${usd(today)} USD paid in 24 hours, in ${folder}`)
}

/** The sum of amounts in atomic units of USDC, which has six decimals. */
function usd(records: readonly PaymentRecord[]): string {
  const units = records.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  return String(Number(units) / 1e6)
}
