import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'

/** The timeout for what a page shows. A busy machine may be slow. */
export const patienceMs = 60_000

/** The faults of a tab, added while it runs, and the bytes that it has loaded so far. */
export type Recording = {
  readonly faults: string[]
  readonly bytes: () => number
  /** Resolves once the tab has loaded nothing for half a second. */
  readonly silent: () => Promise<void>
}

/**
 * How long a tab loads nothing before it counts as silent. Chromium sometimes does not report the end
 * of a request, so that Playwright's `networkidle` never comes: an open request only makes this wait
 * longer.
 */
const silenceMs = { withoutRequests: 500, withRequests: 20_000 }

/** Records the faults and bytes of a tab. `where` names the page in its faults. */
export async function watch(tab: Page, origin: string, where: string): Promise<Recording> {
  const faults: string[] = []
  let bytes = 0
  tab.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      faults.push(`${where} console: ${message.text()}`)
  })
  tab.on('pageerror', (error) => faults.push(`${where} threw: ${error.message}`))
  tab.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`) && !/^(?:data|blob):/.test(request.url()))
      faults.push(`${where} sends a request to another host: ${request.url()}`)
  })
  const client = await tab.context().newCDPSession(tab)
  await client.send('Network.enable')
  const open = new Set<string>()
  let last = performance.now()
  const handleEnd = ({ requestId }: { readonly requestId: string }) => {
    open.delete(requestId)
    last = performance.now()
  }
  client.on('Network.requestWillBeSent', ({ requestId }) => {
    open.add(requestId)
    last = performance.now()
  })
  client.on('Network.loadingFinished', handleEnd)
  client.on('Network.loadingFailed', handleEnd)
  client.on('Network.dataReceived', ({ dataLength }) => {
    bytes += dataLength
    last = performance.now()
  })
  const silent = async () => {
    for (;;) {
      const left =
        silenceMs[open.size === 0 ? 'withoutRequests' : 'withRequests'] - (performance.now() - last)
      if (left <= 0) return
      await setTimeout(Math.min(left, silenceMs.withoutRequests))
    }
  }
  return { faults, bytes: () => bytes, silent }
}
