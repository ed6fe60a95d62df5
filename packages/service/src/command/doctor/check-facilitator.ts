import type { Environment } from '@farebox/command-line'
import { createFacilitatorClient } from '../../domain/payments/facilitator-client.js'
import { readRoutes } from '../../domain/payments/facilitator-routes.js'
import { paymentRails } from '../../domain/payments/payment-rails.js'
import type { Settings } from '../settings/settings.js'
import { settlementChoice, settlementFault } from '../../app/settlement.js'
import { skewFound } from './check-database.js'
import { settingsOfUpstreams } from './check-upstreams.js'
import { failed, ok, skipped, type Finding, type Found } from './finding.js'
import type { Sources } from './sources.js'

/** Whether the facilitator settles what is offered, and shares the clock of this machine. */
export async function checkFacilitator(
  settings: Settings,
  environment: Environment,
  { fetch: send, now }: Sources,
): Promise<readonly Finding[]> {
  const { facilitator, payees, wallets } = settings
  const fault = settlementFault(settlementChoice(settings), {
    ...settings,
    upstreams: settingsOfUpstreams(settings, environment),
  })
  if (fault !== undefined)
    return [{ check: 'facilitator', ...failed(fault, 'The service does not start like this.') }]
  if (!wallets) return [{ check: 'facilitator', ...skipped('there is none: no wallet is taken') }]
  if (facilitator === undefined)
    return [{ check: 'facilitator', ...skipped('there is none: no money moves') }]
  let date: string | null = null
  const seen: typeof fetch = async (input, init) => {
    const response = await send(input, init)
    date = response.headers.get('date')
    return response
  }
  const reply = await createFacilitatorClient({ ...facilitator, fetch: seen }).supported()
  const { host } = new URL(facilitator.url)
  const one = (found: Found): Finding => ({ check: 'facilitator', ...found })
  if (reply.kind !== 'answer')
    return [
      one(failed(`${host}${reply.why}`, 'Check --facilitator and the way to it: top-ups are 503.')),
    ]
  if (reply.status === 401 || reply.status === 403)
    return [one(failed(`${host} refuses the key`, 'Set FAREBOX_FACILITATOR_KEY.'))]
  if (reply.status !== 200 || reply.json === undefined)
    return [
      one(
        failed(
          `${host}/supported has status ${reply.status}`,
          'Check --facilitator: it is the URL below which /supported is.',
        ),
      ),
    ]
  // what an operator names must be settled, and otherwise what has a payee
  const payable = Object.values(paymentRails).filter(({ option }) => payees[option] !== undefined)
  const wanted = facilitator.networks ?? payable.map(({ network }) => network)
  const settled = readRoutes(reply.json, wanted, payees).map(({ network }) => network)
  const missing = wanted.filter((network) => !settled.includes(network))
  const clock: readonly Finding[] =
    date === null
      ? []
      : [{ check: 'facilitator-clock', ...skewFound(Date.parse(date) - now(), 'the facilitator') }]
  if (missing.length === 0)
    return [one(ok(`${host} settles on ${settled.join(' and ')}`)), ...clock]
  const advice =
    'Name what it supports with --facilitator-networks, each with its --pay-to or --pay-to-solana, or take another facilitator.'
  return [
    one(failed(`${host} does not settle on ${missing.join(' and ')} for a payee of yours`, advice)),
    ...clock,
  ]
}
