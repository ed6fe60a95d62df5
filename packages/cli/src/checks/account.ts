import { FareboxError } from 'farebox'
import type { Context } from '../command.js'
import { connectAs, type Caller, type Service } from '../connect.js'
import { explain } from '../explain.js'
import type { Settings } from '../settings.js'
import { failed, ok, warning, type Finding } from './finding.js'

/** Whether the service accepts the credential, and its credit. Costs nothing. */
export async function account(
  context: Context,
  settings: Settings,
  service: Service,
  caller: Caller,
): Promise<Finding> {
  const { signal, environment } = context
  const { farebox } = await connectAs(caller, settings, service, environment)
  try {
    if (caller === 'wallet') {
      const { balanceUsd } = await farebox.balance({ signal })
      const found = `the service takes the sign-in; ${balanceUsd} USD of credit`
      return balanceUsd > 0
        ? ok('sign-in', found)
        : warning('sign-in', found, 'farebox top-up 5 buys credit.')
    }
    const { balances, accessPermitted } = await farebox.getRateLimits({}, { signal })
    const amounts = Object.entries(balances).map(([unit, amount]) => `${amount} ${unit}`)
    const found = `the service takes the API key; ${amounts.join(', ')} of credit`
    return accessPermitted
      ? ok('sign-in', found)
      : warning('sign-in', found, 'It may not call. Ask the owner of the account.')
  } catch (error) {
    if (signal.aborted || !(error instanceof FareboxError)) throw error
    const { message, advice } = explain(error, { isAborted: false, typed: context, caller })
    return failed('sign-in', message, advice)
  }
}
