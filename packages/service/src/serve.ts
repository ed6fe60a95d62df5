import { hasLibsecp256k1 } from '@farebox/auth/verify'
import type { Server } from 'node:http'
import { promisify } from 'node:util'
import { createService, type Service } from './create-service.js'
import { createUpstreamSpeech } from './domain/speech/upstream-speech.js'
import { createTextParser } from './domain/text/text-parser.js'
import { createUpstreamVideo } from './domain/video/upstream-video.js'
import { closable } from './platform/server/closable.js'
import { createClientAddress } from './platform/server/client-address.js'
import { createServer } from './platform/server/create-server.js'
import { listen } from './platform/server/listen.js'
import { createLog } from './platform/telemetry/log.js'
import { serveOperator } from './serve-operator.js'
import { serveTelemetry } from './serve-telemetry.js'
import { print } from './print.js'
import { program } from './settings/program.js'
import type { Settings } from './settings/settings.js'
import { storageOf } from './settings/storage-of.js'

/** Serves until SIGTERM or SIGINT, then finishes the running requests. */
export async function serve(settings: Settings): Promise<void> {
  const { logLevel: level, logFormat: format } = settings
  const log = createLog({ level, format, write: (line) => process.stderr.write(line), now: Date.now })
  const telemetry = await serveTelemetry(log)
  // the service needs its origin, whose port is known once the server listens (port 0)
  let service: Service | undefined
  const server = createServer(
    async (request, info) =>
      service?.fetch(request, info) ??
      Response.json({ error: 'The service is starting.' }, { status: 503, headers: { 'retry-after': '1' } }),
    {
      connectionsPerAddress: settings.connectionsPerAddress,
      clientAddress: createClientAddress(settings.trustedProxies),
      proxyProtocol: settings.proxyProtocol,
    },
  )
  const close = closable(server)
  const port = await listen(server, settings)
  const origin = settings.origin ?? `http://${nameOf(settings.host)}:${port}`
  try {
    service = await createService({
      origin,
      ...storageOf(settings),
      trustedProxies: settings.trustedProxies,
      allowNonceReuse: settings.allowNonceReuse,
      ...(settings.adminCreditUsd !== undefined && { adminCreditUsd: settings.adminCreditUsd }),
      serviceName: settings.serviceName,
      ...(settings.adminKey !== undefined && { adminKey: settings.adminKey }),
      ...settings.payees,
      ...(settings.facilitator && { facilitator: settings.facilitator }),
      ...(settings.metricsKey !== undefined && { metricsKey: settings.metricsKey }),
      ...(settings.operator && { operatorKey: settings.operator.key, operatorChanges: settings.operator.changes }),
      onOperatorChange: (change) => log.info('operator', change),
      ...(settings.speechUpstream && { speech: createUpstreamSpeech(settings.speechUpstream) }),
      ...(settings.filesAtOnce !== undefined && { textParser: createTextParser({ size: settings.filesAtOnce }) }),
      ...(settings.videosAtOnce !== undefined && { videosAtOnce: settings.videosAtOnce }),
      ...(settings.videoUpstream && { video: createUpstreamVideo(settings.videoUpstream) }),
      ...(telemetry && { telemetry }),
      connections: promisify(server.getConnections.bind(server)),
      onError: log.crash,
      onTrouble: log.trouble,
      onLedgerFault: log.ledgerFault,
      onRequest: log.request,
    })
  } catch (error) {
    server.close()
    throw error
  }
  const operator = settings.operator && (await serveOperator(settings.operator, service.operator).catch(giveUp(server, service)))
  print(`Farebox service listening on ${origin}`)
  if (operator) print(`Operator's page and API at ${operator.url}, for the operator's key alone`)
  const payments = settings.facilitator
    ? `Payments are settled by ${new URL(settings.facilitator.url).host}: money moves.`
    : 'Payments are verified here and not settled on a chain: no money moves.'
  print(`Base URL ${origin}/api/v1, data in ${settings.databaseUrl === undefined ? settings.data : 'PostgreSQL'}. ${payments}`)
  log.info('ready', { origin, version: program.version, storage: settings.databaseUrl === undefined ? 'folder' : 'PostgreSQL' })
  if (!hasLibsecp256k1) log.info('libsecp256k1 is missing: @noble/curves verifies EVM signatures, at a fraction of the rate')
  log.info('stopping', { signal: await stopped() })
  await Promise.all([close(), operator?.close()])
  await service.close()
  await telemetry?.close()
  log.info('stopped')
}

/** Ends what runs already when a later part does not start. */
function giveUp(server: Server, service: Service) {
  return async (error: unknown): Promise<never> => {
    server.close()
    await service.close()
    throw error
  }
}

/** A host that a client can call: one that listens everywhere is called by its loopback address. */
function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

function stopped(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal))
  })
}
