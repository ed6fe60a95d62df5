import { clockOffset } from '@farebox/middleware'
import { FareboxError } from 'farebox'
import { type Caller, connectAs, type Service } from '../calls/connect.js'
import type { Context } from '../command.js'
import { explain } from '../calls/explain.js'
import type { Settings } from '../settings/settings.js'
import { fail, type Finding, pass, warn } from './finding.js'

/** How far a clock may be off, in seconds: what the service accepts, and what the SDK corrects. */
const [takenS, correctedS] = [30, 900]
const patienceMs = 15_000

/** Checks that the service implements this interface, and compares its clock with ours. */
export async function checkService(
  { baseUrl }: Service,
  signal: AbortSignal,
  now: () => number = Date.now,
): Promise<readonly Finding[]> {
  const start = now()
  const response = await fetch(`${baseUrl}/models`, {
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
  }).catch((error: unknown) => {
    if (signal.aborted) throw error
    return describeError(error)
  })
  if (typeof response === 'string')
    return [
      fail(
        'service',
        `nothing responds at ${baseUrl} (${response})`,
        'Check --base-url and the network, and that the service is running.',
      ),
    ]
  const end = now()
  const body: unknown = await response.json().catch(() => undefined)
  const isService = response.ok && typeof body === 'object' && body !== null && 'data' in body
  const finding = isService
    ? pass('service', `responds with HTTP ${response.status}`)
    : describeWrongService(baseUrl, response)
  return [finding, checkClock(clockOffset(response, (start + end) / 2))]
}

function describeWrongService(baseUrl: string, { status }: Response): Finding {
  if (status >= 500 || status === 429)
    return fail(
      'service',
      `${baseUrl} responds with HTTP ${status}`,
      'Try again later, or ask its operator.',
    )
  return fail(
    'service',
    `${baseUrl}/models responds with HTTP ${status} without a list of models`,
    'Check --base-url: it ends in /api/v1.',
  )
}

/** Adds half a second, because the Date of the service has whole seconds. */
function checkClock(aheadMs: number): Finding {
  if (Number.isNaN(aheadMs))
    return warn('clock', 'the service does not send its time', 'Check the clock of this machine.')
  const off = -Math.round((aheadMs + 500) / 1000)
  const observation =
    Math.abs(off) <= 1
      ? 'in sync with the service'
      : `${Math.abs(off)} s ${off > 0 ? 'ahead of' : 'behind'} the service`
  if (Math.abs(off) <= takenS) return pass('clock', observation)
  const advice = 'Set the clock of this machine, for instance with NTP.'
  if (Math.abs(off) <= correctedS)
    return warn('clock', `${observation}, which sign-ins correct`, advice)
  return fail(
    'clock',
    `${observation}, and sign-ins correct at most ${correctedS / 60} minutes`,
    advice,
  )
}

function describeError(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const { code, message } = (cause instanceof Error ? cause : error) as NodeJS.ErrnoException
  return code !== undefined && typeof code === 'string' ? code : message
}

/** Whether the service accepts the credential, and its credit. Costs nothing. */
export async function checkAccount(
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
      const walletObservation = `the service accepts the sign-in; ${balanceUsd} USD of credit`
      return balanceUsd > 0
        ? pass('sign-in', walletObservation)
        : warn('sign-in', walletObservation, 'farebox top-up 5 buys credit.')
    }
    const { balances, accessPermitted } = await farebox.getRateLimits({}, { signal })
    const amounts = Object.entries(balances).map(([unit, amount]) => `${amount} ${unit}`)
    const keyObservation = `the service accepts the API key; ${amounts.join(', ')} of credit`
    return accessPermitted
      ? pass('sign-in', keyObservation)
      : warn('sign-in', keyObservation, 'It may not make calls. Ask the owner of the account.')
  } catch (error) {
    if (signal.aborted || !(error instanceof FareboxError)) throw error
    const { message, advice } = explain(error, { isAborted: false, typed: context, caller })
    return fail('sign-in', message, advice)
  }
}
