import type { Tool } from '@farebox/mcp'
import type { OperationId } from '@farebox/types/operations'
import type {
  CallToolResult,
  ListResourcesResult,
  ListToolsResult,
  ReadResourceResult,
  Server,
} from '@modelcontextprotocol/server'
import type { Connection } from '../calls/connect.js'
import { CommandError } from '../command.js'
import { readVersion } from '../version.js'
import type { ToolResult } from './tool-result.js'

/** How far a call is, in seconds since its start. */
type CallProgress = {
  readonly progress: number
  readonly total?: number
  readonly message: string
}

export type CallOptions = {
  readonly signal: AbortSignal
  readonly onProgress?: (step: CallProgress) => void
}

/** The capabilities of a server, on every transport. */
export type Serving = {
  readonly tools: readonly Tool[]
  readonly call: (
    name: string,
    input: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ) => Promise<ToolResult>
  readonly resources: readonly Resource[]
  /** The instructions for the model. */
  readonly instructions: string
}

/**
 * Loads the protocol's library and returns a function that makes a server for one connection or one
 * HTTP request. Calls end with `signal`. Throws `CommandError` if the library is not installed.
 */
export async function loadServerFactory(
  { tools, call, resources, instructions }: Serving,
  signal: AbortSignal,
): Promise<() => Server> {
  const { ProtocolError, Server } = await loadOptional(() => import('@modelcontextprotocol/server'))
  return () => {
    const server = new Server(
      { name: 'farebox', version: readVersion() },
      { capabilities: { tools: {}, resources: {} }, instructions },
    )
    // our own types of definitions and results have read-only lists
    server.setRequestHandler('tools/list', () => ({ tools }) as unknown as ListToolsResult)
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const { progressToken: token } = mcpReq['_meta'] ?? {}
      const onProgress = (step: CallProgress) =>
        // a client that has left needs no progress
        void mcpReq
          .notify({ method: 'notifications/progress', params: { progressToken: token, ...step } })
          .catch(() => undefined)
      const stop = AbortSignal.any([signal, mcpReq.signal])
      const result = await call(params.name, params.arguments ?? {}, {
        signal: stop,
        ...(token !== undefined && { onProgress }),
      })
      return result as unknown as CallToolResult
    })
    server.setRequestHandler('resources/list', (): ListResourcesResult => ({
      resources: resources.map(({ read: _read, ...described }) => ({
        ...described,
        mimeType: json,
      })),
    }))
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
    server.setRequestHandler(
      'resources/read',
      async ({ params: { uri } }, { mcpReq }): Promise<ReadResourceResult> => {
        const resource = resources.find((one) => one.uri === uri)
        if (resource === undefined) {
          const there = resources.map((one) => one.uri).join(', ')
          throw new ProtocolError(
            invalidParams,
            `There is no resource ${JSON.stringify(uri)}; expected one of: ${there}.`,
          )
        }
        const value = await resource.read(AbortSignal.any([signal, mcpReq.signal]))
        return { contents: [{ uri, mimeType: json, text: JSON.stringify(value, null, 2) }] }
      },
    )
    return server
  }
}

const json = 'application/json'

/** JSON-RPC 2.0, section 5.1. */
const invalidParams = -32602

/** Imports a module of an optional dependency, which is installed by default. */
export async function loadOptional<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
      const name =
        /@modelcontextprotocol\/\w+/.exec(error.message)?.[0] ?? '@modelcontextprotocol/server'
      throw new CommandError(
        'not_installed',
        `farebox mcp needs ${name}, which is not installed. Run npm install ${name}.`,
      )
    }
    throw error
  }
}

/** A resource of the server: JSON that a host can read without a tool call. */
type Resource = {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly read: (signal: AbortSignal) => Promise<unknown>
}

type Sources = {
  readonly canCall: (id: OperationId) => boolean
  readonly findConnection: (id: OperationId) => Connection
}

/** The models, and the ledger of the server's wallet if it has one. Reading them costs nothing. */
export function listResources({ canCall, findConnection }: Sources): readonly Resource[] {
  const models: Resource = {
    uri: 'farebox://models',
    name: 'models',
    title: 'Models',
    description: 'Every model of the service, with its type, voices, limits and prices.',
    read: (signal) => findConnection('listModels').farebox.listModels({ type: 'all' }, { signal }),
  }
  const ledger: Resource = {
    uri: 'farebox://ledger',
    name: 'ledger',
    title: 'Ledger',
    description:
      'The balance of the wallet of this server, and its latest transactions, newest first.',
    read: async (signal) => {
      const { farebox, address: walletAddress = '' } = findConnection('listTransactions')
      const [balance, transactions] = await Promise.all([
        farebox.getBalance({ walletAddress }, { signal }),
        farebox.listTransactions({ walletAddress, limit: 50 }, { signal }),
      ])
      return { balance, transactions }
    },
  }
  return [
    ...(canCall('listModels') ? [models] : []),
    ...(canCall('listTransactions') && canCall('getBalance') ? [ledger] : []),
  ]
}
