import type { OperationId } from '@farebox/types/operations'
import type { Context, Run } from '../command.js'
import { askedOf, baseUrlOf, callerOf, callersOf, connectAs, type Caller, type Connection } from '../connect.js'
import { UsageError } from '../errors.js'
import { toolCaller } from '../mcp/call-tool.js'
import { openFolder } from '../mcp/folder.js'
import { offeredTools } from '../mcp/offered.js'
import { createBudget } from '../mcp/budget.js'
import { serveStdio } from '../mcp/serve-stdio.js'
import { readSettings } from '../settings.js'
import { note } from '../terminal.js'

/** Serves the operations to a model, as tools of the Model Context Protocol. */
export const mcp: Run = async (context) => {
  const { arguments: given, terminal, signal } = context
  const { connectionOf, canCall, address } = await connections(context)
  const caps = { maxUsdPerCall: given.number('max-usd-per-call', 0) ?? 1, maxUsd: given.number('max-usd', 0) ?? 5 }
  const readOnly = given.has('read-only')
  const path = given.text('folder')
  const folder = path === undefined ? undefined : await openFolder(path)
  const only = given
    .text('tools')
    ?.split(',')
    .map((name) => name.trim())
  const tools = offeredTools({ readOnly, hasFolder: folder !== undefined, canCall, ...(only !== undefined && { only }) })
  if (tools.length === 0) throw new UsageError('No tool is left to offer. Set a credential, or leave --tools or --read-only out.')
  const budget = createBudget(readOnly ? { maxUsdPerCall: 0, maxUsd: 0 } : caps)
  const instructions = [
    'Tools of a Farebox inference service.',
    readOnly
      ? 'They only read.'
      : `A call may cost ${caps.maxUsdPerCall} USD, all calls together ${caps.maxUsd} USD; what would go beyond is refused before it is sent.`,
    ...(address === undefined ? [] : [`The wallet of this server is ${address}.`]),
    ...(folder === undefined ? [] : ['Files are named by their place in the folder of this server; nothing is written over.']),
  ].join(' ')
  note(
    terminal,
    `farebox mcp: ${tools.length} tools${readOnly ? ', read-only' : `, at most ${caps.maxUsdPerCall} USD a call and ${caps.maxUsd} USD in all`}`,
  )
  const call = toolCaller({ tools, connectionOf, budget, folder, mayConsent: given.has('consent') })
  await serveStdio({ tools, call, instructions }, terminal, signal)
  return 0
}

async function connections(context: Context) {
  const settings = await readSettings(context.environment, context.arguments.text('config'))
  const baseUrl = baseUrlOf(context.arguments.text('base-url') ?? settings.baseUrl)
  const asked = askedOf(context)
  const made = new Map<Caller, Connection>()
  const connectionAs = (caller: Caller): Connection => {
    const connection = made.get(caller) ?? connectAs(caller, settings, baseUrl)
    made.set(caller, connection)
    return connection
  }
  const callerFor = (id: OperationId) => callerOf(settings, callersOf(id), asked)
  // an invalid key is reported now, and not by the first call
  const address = settings.privateKey === undefined ? undefined : connectionAs('wallet').address
  return {
    address: asked === 'key' ? undefined : address,
    canCall: (id: OperationId) => callerFor(id) !== undefined,
    connectionOf: (id: OperationId) => connectionAs(callerFor(id) ?? 'nobody'),
  }
}
