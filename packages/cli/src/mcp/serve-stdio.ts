import { once } from 'node:events'
import type { CallToolResult, ListToolsResult } from '@modelcontextprotocol/server'
import { Refusal } from '../errors.js'
import type { Terminal } from '../terminal.js'
import { version } from '../version.js'
import type { OfferedTool } from './offered.js'
import type { ToolResult } from './result-of.js'

export type Serving = {
  readonly tools: readonly OfferedTool[]
  readonly call: (name: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<ToolResult>
  /** The instructions for the model. */
  readonly instructions: string
}

/**
 * Serves the Model Context Protocol on stdin and stdout until the client closes them, or the user
 * interrupts.
 */
export async function serveStdio(
  { tools, call, instructions }: Serving,
  terminal: Pick<Terminal, 'in' | 'err'>,
  signal: AbortSignal,
): Promise<void> {
  const { Server } = await load(() => import('@modelcontextprotocol/server'))
  const { serveStdio: serve } = await load(() => import('@modelcontextprotocol/server/stdio'))
  const connection = serve(
    () => {
      const server = new Server({ name: 'farebox', version: version() }, { capabilities: { tools: {} }, instructions })
      // our own types of definitions and results have read-only lists
      server.setRequestHandler('tools/list', () => ({ tools }) as unknown as ListToolsResult)
      server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
        const stop = AbortSignal.any([signal, mcpReq.signal])
        return (await call(params.name, params.arguments ?? {}, stop)) as unknown as CallToolResult
      })
      return server
    },
    { onerror: (error) => void terminal.err.write(`farebox mcp: ${error.message}\n`) },
  )
  await once(terminal.in, 'close', { signal }).catch(() => undefined)
  await connection.close()
}

/** An optional dependency, which is installed by default. */
async function load<Module>(bring: () => Promise<Module>): Promise<Module> {
  try {
    return await bring()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
      throw new Refusal(
        'not_installed',
        'farebox mcp needs @modelcontextprotocol/server, which is not installed. Run npm install @modelcontextprotocol/server.',
      )
    }
    throw error
  }
}
