import { once } from 'node:events'
import { createNarrator, type Narrator } from '@farebox/command-line/narration'
import type { Context, Run } from '../command.js'
import { createLive } from '../demo/live.js'
import { startLocalService, type LocalService } from '../demo/local-service.js'
import { withPage } from '../demo/serve-page.js'
import { createDemoWallet, fareboxOf, tour, usd, type DemoWallet, type Totals } from '../demo/tour.js'
import { tryIt } from '../demo/try-it.js'
import { printJson } from '../json-output.js'
import { paint, type Terminal } from '../terminal.js'

/** Runs a service and a wallet through the payment flow, on this machine and without money. */
export const demo: Run = async (context) => {
  const { arguments: given, terminal, signal } = context
  const port = given.integer('port', 0, 65_535) ?? 0
  const [keep, isJson, hasPage] = [given.has('keep'), given.has('json'), !given.has('no-page')]
  const narrator = narratorOf(terminal, isJson)
  const start = performance.now()
  narrator.print('Farebox demo: no chain, no money, nothing leaves this machine\n')
  const service = await narrator.step(
    'Start the service',
    () => startLocalService(port, keep),
    ({ origin, folder }) => `${origin}, data in ${folder}`,
  )
  try {
    const wallet = await narrator.step(
      'Make a throw-away wallet',
      async () => createDemoWallet(),
      ({ signer }) => signer.address,
    )
    if (hasPage) addPage(service, wallet)
    const totals = await tour(narrator, service, wallet, signal)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    narrator.print(`\n  ${paint(terminal, 'bold', `${totalOf(totals)}, in ${seconds} s.`)}`)
    if (isJson) await printJson(terminal, resultOf(context, service, wallet, totals))
    if (hasPage) {
      narrator.print(tryIt(service, wallet, process.argv[1] ?? 'farebox'))
      if (!signal.aborted) await once(signal, 'abort')
    }
    return 0
  } finally {
    await service.stop()
    if (keep) narrator.print(`\n  The ledger and the speech are in ${service.folder}.`)
  }
}

function addPage(service: LocalService, wallet: DemoWallet): void {
  const { origin, fetch, answerWith } = service
  const reader = fareboxOf(wallet, origin, (input, init) => fetch(new Request(input, init)))
  answerWith(withPage(createLive(service, reader, wallet.signer.address), origin))
}

/** Steps are results, so that a log gets them; with --json or --quiet there are none. */
function narratorOf(terminal: Terminal, isJson: boolean): Narrator {
  const out = isJson || terminal.quiet ? { write: () => undefined } : terminal.out
  return createNarrator(out, (style, text) => paint(terminal, style, text))
}

function totalOf({ paidUsd, spentUsd, leftUsd }: Totals): string {
  return `Paid ${usd(paidUsd)}, spent ${usd(spentUsd)}, left ${usd(leftUsd)}`
}

function resultOf({ arguments: given }: Context, { origin, folder }: LocalService, { signer }: DemoWallet, totals: Totals) {
  return {
    baseUrl: `${origin}/api/v1`,
    address: signer.address,
    ...totals,
    ...(!given.has('no-page') && { page: `${origin}/demo` }),
    ...(given.has('keep') && { folder }),
  }
}
