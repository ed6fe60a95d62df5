import type { Service } from '../app/create-service.js'
import { closable } from '../platform/server/closable.js'
import { createServer } from '../platform/server/create-server.js'
import { listen } from '../platform/server/listen.js'
import type { OperatorSettings } from './settings/operator-settings.js'

/** Serves the operator at an address of its own. Rejects with a ListenError. */
export async function serveOperator({ host, port }: OperatorSettings, operator: Service['operator']) {
  const server = createServer(operator, { connections: 64 })
  const close = closable(server)
  const found = await listen(server, { host, port, flags: '--operator-' })
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${found}`, close }
}
