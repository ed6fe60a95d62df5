import { once } from 'node:events'
import type { Terminal } from '../terminal.js'
import { optional, protocolServers, type Serving } from './protocol-server.js'

/**
 * Serves the Model Context Protocol on stdin and stdout until the client closes them, or the user
 * interrupts.
 */
export async function serveStdio(
  serving: Serving,
  terminal: Pick<Terminal, 'in' | 'out' | 'err'>,
  signal: AbortSignal,
): Promise<void> {
  const { serveStdio: serve, StdioServerTransport } = await optional(
    () => import('@modelcontextprotocol/server/stdio'),
  )
  const connection = serve(await protocolServers(serving, signal), {
    transport: new StdioServerTransport(terminal.in, terminal.out),
    onerror: (error) => void terminal.err.write(`farebox mcp: ${error.message}\n`),
  })
  await once(terminal.in, 'close', { signal }).catch(() => undefined)
  await connection.close()
}
