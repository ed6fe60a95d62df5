import type { Server, ServerResponse } from 'node:http'

/**
 * Returns a function after whose call each response says `Connection: close`, also to the requests
 * that have come before: a balancer then opens no call on a connection that is about to end. The
 * server goes on to accept connections. Call it before `listen`.
 */
export function drainable(server: Server): () => void {
  const open = new Set<ServerResponse>()
  let draining = false
  // before the listener that answers
  server.prependListener('request', (_request, response: ServerResponse) => {
    if (draining) return void response.setHeader('connection', 'close')
    open.add(response)
    response.once('close', () => open.delete(response))
  })
  return () => {
    draining = true
    for (const response of open) if (!response.headersSent) response.setHeader('connection', 'close')
  }
}
