import { once } from 'node:events'
import { createNarrator, type Narrator } from '@farebox/command-line/narration'
import type { Context, CommandHandler } from '../command.js'
import { createLive, type Live, type LiveState } from '../demo/live.js'
import { startLocalService, type LocalService } from '../demo/local-service.js'
import {
  createDemoWallet,
  createDemoFarebox,
  runTour,
  formatUsd,
  type DemoWallet,
  type Totals,
} from '../demo/tour.js'
import { printJson, paint, type Terminal } from '../io/terminal.js'
import { Readable } from 'node:stream'
import type { Fetch } from '../demo/http-server.js'
import { contentSecurityPolicy, renderPage, renderParts } from '../demo/page.js'

/** Runs a service and a wallet through the payment flow, on this machine and without money. */
export const demo: CommandHandler = async (context) => {
  const { arguments: args, terminal, signal } = context
  const port = args.integer('port', 0, 65_535) ?? 0
  const [keep, isJson, hasPage] = [args.has('keep'), args.has('json'), !args.has('no-page')]
  const narrator = openNarrator(terminal, isJson)
  const start = performance.now()
  narrator.print('Farebox demo: no chain, no money, nothing leaves this machine\n')
  const service = await narrator.step(
    'Start the service',
    () => startLocalService(port, keep),
    ({ origin, folder }) => `${origin}, data in ${folder}`,
  )
  try {
    const wallet = await narrator.step(
      'Create a throw-away wallet',
      async () => createDemoWallet(),
      ({ signer }) => signer.address,
    )
    if (hasPage) addPage(service, wallet)
    const totals = await runTour(narrator, service, wallet, signal)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    narrator.print(`\n  ${paint(terminal, 'bold', `${formatTotal(totals)}, in ${seconds} s.`)}`)
    if (isJson) await printJson(terminal, toResult(context, service, wallet, totals))
    if (hasPage) {
      narrator.print(formatInstructions(service, wallet, process.argv[1] ?? 'farebox'))
      if (!signal.aborted) await once(signal, 'abort')
    }
    return 0
  } finally {
    await service.stop()
    if (keep) narrator.print(`\n  The ledger and the speech are in ${service.folder}.`)
  }
}

function addPage(service: LocalService, wallet: DemoWallet): void {
  const { origin, fetch, serve } = service
  const reader = createDemoFarebox(wallet, origin, (input, init) => fetch(new Request(input, init)))
  serve(withPage(createLive(service, reader, wallet.signer.address), origin))
}

/** Steps are results, so that a log gets them; with --json or --quiet there are none. */
function openNarrator(terminal: Terminal, isJson: boolean): Narrator {
  const out = isJson || terminal.quiet ? { write: () => undefined } : terminal.out
  return createNarrator(out, (style, text) => paint(terminal, style, text))
}

function formatTotal({ paidUsd, spentUsd, leftUsd }: Totals): string {
  return `Paid ${formatUsd(paidUsd)}, spent ${formatUsd(spentUsd)}, left ${formatUsd(leftUsd)}`
}

function toResult(
  { arguments: args }: Context,
  { origin, folder }: LocalService,
  { signer }: DemoWallet,
  totals: Totals,
) {
  return {
    baseUrl: `${origin}/api/v1`,
    address: signer.address,
    ...totals,
    ...(!args.has('no-page') && { page: `${origin}/demo` }),
    ...(args.has('keep') && { folder }),
  }
}

const headers = {
  'cache-control': 'no-store',
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/**
 * Serves the page at `/demo` and its events (HTML standard, server-sent events) at `/demo/events`,
 * and leaves all other paths to the service.
 */
function withPage(live: Live, origin: string): Fetch {
  return async (request, ended) => {
    const url = new URL(request.url)
    if (url.pathname !== '/demo' && url.pathname !== '/demo/events')
      return live.fetch(request, ended)
    // a page of another site can give its own name this address
    if (url.origin !== origin)
      return new Response(`The demo is at ${origin}/demo.\n`, { status: 403, headers })
    if (request.method !== 'GET')
      return new Response('Expected GET.\n', { status: 405, headers: { ...headers, allow: 'GET' } })
    if (url.pathname === '/demo')
      return new Response(renderPage(live.state()), {
        headers: { ...headers, 'content-type': 'text/html; charset=utf-8' },
      })
    const events = Readable.toWeb(Readable.from(streamMessages(live.changes(request.signal))))
    return new Response(events as ReadableStream<Uint8Array>, {
      headers: { ...headers, 'content-type': 'text/event-stream' },
    })
  }
}

async function* streamMessages(
  states: AsyncIterable<LiveState>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const state of states)
    yield Buffer.from(`data: ${JSON.stringify(renderParts(state))}\n\n`)
}

/**
 * The page, and commands for another terminal. They call the very file that runs, whichever way it
 * was installed.
 */
function formatInstructions(
  { origin, adminKey }: Pick<LocalService, 'origin' | 'adminKey'>,
  { privateKey }: DemoWallet,
  file: string,
): string {
  const baseUrl = `${origin}/api/v1`
  return `
  Live page: ${origin}/demo

  It shows each call that you send from another terminal (bash or zsh). With the wallet of the demo:

    export FAREBOX_BASE_URL=${baseUrl} FAREBOX_PRIVATE_KEY=${privateKey}
    farebox() { node '${file.replaceAll("'", "'\\''")}' "$@"; }
    farebox chat "Hello"
    farebox speech "Hello" -o hello.mp3
    farebox top-up 5

  With curl: the offers of a top-up, and speech for a key with its own account:

    curl -i -X POST ${baseUrl}/x402/top-up
    curl -H "Authorization: Bearer ${adminKey}" -H "Content-Type: application/json" -d '{"input":"Hello"}' -o hello.mp3 ${baseUrl}/audio/speech

  Ctrl-C ends the demo.`
}
