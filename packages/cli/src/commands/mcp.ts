import { randomBytes } from 'node:crypto'
import type { OperationId } from '@farebox/types/operations'
import { type Context, type CommandHandler, UsageError } from '../command.js'
import {
  readRequestedCaller,
  chooseCaller,
  listAllowedCallers,
  connectAs,
  readService,
  type Caller,
  type Connection,
} from '../calls/connect.js'
import { createToolCaller, createBudget } from '../mcp/call-tool.js'
import { createDocsServing, readDocsPages } from '../mcp/docs.js'
import { openFolder } from '../mcp/folder.js'
import { selectTools } from '../mcp/offered.js'
import { listResources, type Serving } from '../mcp/protocol-server.js'
import { type HttpOptions, serveHttp, serveStdio } from '../mcp/serve.js'
import { readSettings } from '../settings/settings.js'
import { note } from '../io/terminal.js'

/** Serves the operations to a model, as tools of the Model Context Protocol. */
export const mcp: CommandHandler = async (context) => {
  const { arguments: args, terminal } = context
  if (args.has('docs')) return serveDocs(context)
  const { findConnection, canCall, address } = await openConnections(context)
  const caps = {
    maxUsdPerCall: args.number('max-usd-per-call', 0) ?? 1,
    maxUsd: args.number('max-usd', 0) ?? 5,
  }
  const readOnly = args.has('read-only')
  const path = args.text('folder')
  const folder = path === undefined ? undefined : await openFolder(path)
  const only = args
    .text('tools')
    ?.split(',')
    .map((name) => name.trim())
  const tools = selectTools({
    readOnly,
    hasFolder: folder !== undefined,
    canCall,
    ...(only !== undefined && { only }),
  })
  if (tools.length === 0)
    throw new UsageError(
      'There is no tool to offer. Set a credential, or omit --tools or --read-only.',
    )
  const http = readHttpOptions(context)
  const budget = createBudget(readOnly ? { maxUsdPerCall: 0, maxUsd: 0 } : caps)
  const instructions = [
    'Tools of a Farebox inference service.',
    readOnly
      ? 'They only read.'
      : `A call may cost ${caps.maxUsdPerCall} USD, all calls together ${caps.maxUsd} USD; a call beyond that is rejected before it is sent.`,
    ...(address === undefined ? [] : [`The wallet of this server is ${address}.`]),
    ...(folder === undefined
      ? []
      : ['Files are named by their path in the folder of this server; none is overwritten.']),
  ].join(' ')
  note(
    terminal,
    `farebox mcp: ${tools.length} tools${readOnly ? ', read-only' : `, at most ${caps.maxUsdPerCall} USD a call and ${caps.maxUsd} USD in all`}`,
  )
  const call = createToolCaller({
    tools,
    findConnection,
    budget,
    folder,
    mayConsent: args.has('consent'),
  })
  const serving = {
    tools,
    call,
    resources: listResources({ canCall, findConnection }),
    instructions,
  }
  return serve(serving, http, context)
}

/** Serves the documentation in place of the operations. Nothing is called, so nothing is capped. */
async function serveDocs(context: Context): Promise<number> {
  const { arguments: args, terminal } = context
  const options = ['max-usd-per-call', 'max-usd', 'folder', 'tools']
  const switches = ['read-only', 'consent'].filter((name) => args.has(name))
  const [needless] = [...options.filter((name) => args.text(name) !== undefined), ...switches]
  if (needless !== undefined)
    throw new UsageError(
      `--${needless} is for tools that call the service; --docs offers only the documentation.`,
    )
  const http = readHttpOptions(context)
  const pages = readDocsPages()
  note(terminal, `farebox mcp: ${pages.length} pages of documentation`)
  return serve(createDocsServing(pages), http, context)
}

async function serve(
  serving: Serving,
  http: HttpOptions | undefined,
  { terminal, signal }: Context,
): Promise<number> {
  await (http === undefined
    ? serveStdio(serving, terminal, signal)
    : serveHttp(serving, http, terminal, signal))
  return 0
}

/** The options of Streamable HTTP, if it was asked for. */
function readHttpOptions({
  arguments: args,
  environment,
  terminal,
}: Context): HttpOptions | undefined {
  const port = args.integer('http', 0, 65_535)
  if (port === undefined) {
    const needless = ['host', 'allow-origin'].find((name) => args.text(name) !== undefined)
    if (needless !== undefined)
      throw new UsageError(
        `--${needless} needs --http. Without it the server uses stdin and stdout.`,
      )
    return undefined
  }
  const origins = (args.text('allow-origin')?.split(',') ?? []).map((text) => text.trim())
  const wrong = origins.find((text) => !URL.canParse(text) || new URL(text).origin !== text)
  if (wrong !== undefined) {
    throw new UsageError(
      `--allow-origin names ${JSON.stringify(wrong)}; expected origins such as https://inspector.example.`,
    )
  }
  return {
    host: args.text('host') ?? '127.0.0.1',
    port,
    origins,
    token: readToken(environment, terminal),
    maxRequests: 32,
  }
}

/** The token of the environment, else a new one, which is shown once. */
function readToken(
  { FAREBOX_MCP_TOKEN: set = '' }: Context['environment'],
  { err }: Context['terminal'],
): string {
  if (set !== '') {
    if (!/^[\x21-\x7e]{16,}$/.test(set))
      throw new UsageError(
        'FAREBOX_MCP_TOKEN is too weak; expected at least 16 printable characters.',
      )
    return set
  }
  const token = randomBytes(32).toString('base64url')
  err.write(`farebox mcp: the token of this run is ${token} (set FAREBOX_MCP_TOKEN to keep one)\n`)
  return token
}

async function openConnections(context: Context) {
  const settings = await readSettings(context.environment, context.arguments.text('config'))
  const service = readService(context, settings)
  const requested = readRequestedCaller(context)
  const connectionAs = (caller: Caller) => connectAs(caller, settings, service, context.environment)
  // an invalid key is reported now, and not by the first call
  const wallet = settings.privateKey === undefined ? undefined : await connectionAs('wallet')
  const connections = {
    wallet,
    key: await connectionAs('key'),
    nobody: await connectionAs('nobody'),
  }
  const callerFor = (id: OperationId) => chooseCaller(settings, listAllowedCallers(id), requested)
  return {
    address: requested === 'key' ? undefined : wallet?.address,
    canCall: (id: OperationId) => callerFor(id) !== undefined,
    findConnection: (id: OperationId): Connection =>
      connections[callerFor(id) ?? 'nobody'] ?? connections.nobody,
  }
}
