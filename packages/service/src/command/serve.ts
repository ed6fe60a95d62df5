import { constants } from 'node:os'
import { promisify } from 'node:util'
import { hasLibsecp256k1 } from '@farebox/auth/verify'
import { UsageError } from '@farebox/command-line'
import { createService, type Service } from '../app/create-service.js'
import { toSettlementChoice, findSettlementFault } from '../app/payments.js'
import { contractCatalogue } from '../domain/models/catalogue.js'
import { readCatalogue } from '../domain/models/read-catalogue.js'
import { openTelemetry } from '../platform/otel/open-telemetry.js'
import { createClientAddress } from '../platform/server/client-address.js'
import { createServer } from '../platform/server/create-server.js'
import { createGracefulClose, createDrain, listen } from '../platform/server/listen.js'
import { createLog, type Log } from '../platform/telemetry/log.js'
import type { Telemetry } from '../platform/telemetry/spans.js'
import { sleep } from '../platform/time.js'
import { print } from './print.js'
import { program } from './settings/program.js'
import type { OperatorSettings } from './settings/serve-settings.js'
import { type Settings, toStorageOptions } from './settings/settings.js'
import { startUpstreams } from './upstream-file/start-upstreams.js'

/** Serves until SIGTERM or SIGINT, drains, and finishes the running requests. */
export async function serve(settings: Settings): Promise<void> {
  const { logLevel: level, logFormat: format } = settings
  const log = createLog({
    level,
    format,
    write: (line) => process.stderr.write(line),
    now: Date.now,
  })
  const catalogue =
    settings.catalogue === undefined ? contractCatalogue : readCatalogue(settings.catalogue)
  const { upstreams, close: closeUpstreams } = await startUpstreams(settings, log, catalogue)
  upstreams.require((all) => {
    const fault = findSettlementFault(toSettlementChoice(settings), { ...settings, upstreams: all })
    if (fault !== undefined) throw new UsageError(fault)
  })
  const telemetry = await serveTelemetry(log)
  let service: Service | undefined
  const server = createServer(
    async (request, info) =>
      service?.fetch(request, info) ??
      Response.json(
        { error: 'The service is starting.' },
        { status: 503, headers: { 'retry-after': '1' } },
      ),
    {
      connectionsPerAddress: settings.connectionsPerAddress,
      clientAddress: createClientAddress(settings.trustedProxies),
    },
  )
  const close = createGracefulClose(server)
  const drain = createDrain(server)
  // Nobody knows a free port before it is printed, and the service needs its origin. At any other
  // port a load balancer must find nobody until the service is ready: it then asks another process.
  const isFreePort = settings.port === 0
  const port = isFreePort ? await listen(server, settings) : settings.port
  const address = `http://${toCallableHost(settings.host)}:${port}`
  const origin = settings.origin ?? address
  try {
    service = await createService({
      origin,
      ...toStorageOptions(settings),
      catalogue,
      trustedProxies: settings.trustedProxies,
      nameBackends: settings.nameBackends,
      ...(!settings.storesResponses && { storedResponses: { perResponse: 0 } }),
      wallets: settings.wallets,
      unsettledPayments: settings.unsettledPayments,
      allowNonceReuse: settings.allowNonceReuse,
      ...(settings.adminCreditUsd !== undefined && { adminCreditUsd: settings.adminCreditUsd }),
      serviceName: settings.serviceName,
      ...(settings.adminKey !== undefined && { adminKey: settings.adminKey }),
      ...(settings.adminKeyOld !== undefined && { adminKeyOld: settings.adminKeyOld }),
      ...settings.payees,
      ...(settings.facilitator && { facilitator: settings.facilitator }),
      ...(settings.metricsKey !== undefined && { metricsKey: settings.metricsKey }),
      ...(settings.operator && {
        operatorKey: settings.operator.key,
        operatorChanges: settings.operator.changes,
      }),
      keep: settings.keep,
      onOperatorChange: (change) => log.info('operator', change),
      upstreams,
      ...(settings.videosAtOnce !== undefined && { videosAtOnce: settings.videosAtOnce }),
      ...(telemetry && { telemetry }),
      connections: promisify(server.getConnections.bind(server)),
      onError: log.crash,
      onTrouble: log.trouble,
      onLedgerFault: log.ledgerFault,
      ...(settings.chainNodes && { chainNodes: settings.chainNodes }),
      onDifference: log.difference,
      onRequest: log.request,
    })
  } catch (error) {
    server.close()
    throw error
  }
  const operator =
    settings.operator &&
    (await serveOperator(settings.operator, service.operator).catch(
      giveUp(() => server.close(), service),
    ))
  if (!isFreePort) await listen(server, settings).catch(giveUp(() => operator?.close(), service))
  // before the message that it listens
  const stop = waitForStop({
    drainMs: settings.drainSeconds * 1000,
    log,
    drain: [service.drain, drain],
  })
  print(`Farebox service listening on ${address}`)
  if (operator) print(`Operator page and API at ${operator.url}, which need the operator key`)
  print(
    `Base URL ${origin}/api/v1, data in ${settings.databaseUrl === undefined ? settings.data : 'PostgreSQL'}. ${describePayments(settings)}`,
  )
  log.info('ready', {
    origin,
    version: program.version,
    storage: settings.databaseUrl === undefined ? 'folder' : 'PostgreSQL',
  })
  if (!hasLibsecp256k1)
    log.info(
      'EVM signatures are verified in JavaScript; npm install secp256k1 makes it some thirty times faster',
    )
  const drained = await stop
  await Promise.all([close(drained ? settleMs : 0), operator?.close()])
  closeUpstreams()
  await service.close()
  await telemetry?.close()
  log.info('stopped')
}

function describePayments({ facilitator, wallets }: Settings): string {
  if (!wallets) return 'Wallets are not accepted: callers need API keys.'
  if (facilitator) return `Payments are settled by ${new URL(facilitator.url).host}: money moves.`
  return 'Payments are verified here and not settled on a chain: no money moves.'
}

/** Stops what is already running when a later part does not start. */
function giveUp(closeOther: () => unknown, service: Service) {
  return async (error: unknown): Promise<never> => {
    await closeOther()
    await service.close()
    throw error
  }
}

/** A host that a client can call: one that listens everywhere is called by its loopback address. */
function toCallableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** Serves the operator at an address of its own. Rejects with a ListenError. */
export async function serveOperator(
  { host, port }: OperatorSettings,
  operator: Service['operator'],
) {
  const server = createServer(operator, { connections: 64 })
  const close = createGracefulClose(server)
  const found = await listen(server, { host, port, flags: '--operator-' })
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${found}`, close }
}

/** The telemetry that the environment asks for. Rejects with a UsageError. */
async function serveTelemetry({ telemetry: onSent }: Log): Promise<Telemetry | undefined> {
  try {
    return await openTelemetry({ version: program.version, onSent })
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error
  }
}

type Stop = {
  /** How long load balancers have to notice. */
  readonly drainMs: number
  /** What tells them. */
  readonly drain: readonly (() => void)[]
  readonly log: Pick<Log, 'info'>
}

const signals = ['SIGTERM', 'SIGINT'] as const

/** How long a request may take from a load balancer that has just sent it, after the drain. */
const settleMs = 1_000

/**
 * Resolves when the service must stop accepting requests: after a signal and the time to drain, and
 * with whether it drained. Ctrl-C does not drain, since a person is waiting. A second signal ends
 * the process at once.
 */
async function waitForStop({ drainMs, drain, log }: Stop): Promise<boolean> {
  const signal = await waitForSignal()
  void waitForSignal().then((second) => {
    log.info('ended by a second signal', { signal: second })
    process.exit(128 + constants.signals[second])
  })
  const waitMs = signal === 'SIGTERM' ? drainMs : 0
  log.info('stopping', { signal, drainSeconds: waitMs / 1000 })
  for (const begin of drain) begin()
  if (waitMs === 0) return false
  await sleep(waitMs)
  log.info('drained')
  return true
}

function waitForSignal(): Promise<(typeof signals)[number]> {
  return new Promise((resolve) => {
    const end = (signal: (typeof signals)[number]) => {
      for (const one of signals) process.off(one, end)
      resolve(signal)
    }
    // in place of the end of a start
    for (const one of signals) process.removeAllListeners(one).on(one, end)
  })
}
