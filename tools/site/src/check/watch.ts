import type { Page } from 'playwright-core'

/** What a tab does wrong, filled while it runs, and the bytes that it has loaded so far. */
export type Recording = { readonly faults: string[]; readonly bytes: () => number }

/** Records the faults and bytes of a tab. `where` names the page in the faults. */
export async function watch(tab: Page, origin: string, where: string): Promise<Recording> {
  const faults: string[] = []
  let bytes = 0
  tab.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`${where} console: ${message.text()}`)
  })
  tab.on('pageerror', (error) => faults.push(`${where} threw: ${error.message}`))
  tab.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`) && !/^(?:data|blob):/.test(request.url()))
      faults.push(`${where} sends a request to another host: ${request.url()}`)
  })
  const client = await tab.context().newCDPSession(tab)
  await client.send('Network.enable')
  client.on('Network.dataReceived', ({ dataLength }) => (bytes += dataLength))
  return { faults, bytes: () => bytes }
}
