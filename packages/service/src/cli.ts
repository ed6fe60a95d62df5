#!/usr/bin/env node
import { runProgram, UsageError, world } from '@farebox/command-line'
import { administer } from './administration.js'
import { closable } from './platform/server/closable.js'
import { createClientAddress } from './platform/server/client-address.js'
import { createServer } from './platform/server/create-server.js'
import { createService, type Service } from './create-service.js'
import { failureSentence } from './failure-sentence.js'
import { listen } from './platform/server/listen.js'
import { createLog } from './platform/telemetry/log.js'
import { createUpstreamSpeech } from './domain/speech/upstream-speech.js'
import { createUpstreamVideo } from './domain/video/upstream-video.js'
import { program } from './program.js'
import { readSettings, type Settings } from './settings.js'

// the reader of our output may leave before the service ends
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
process.exitCode = await runProgram(program, process.argv.slice(2), world, async (given) => {
  const settings = readSettings(given, process.env)
  try {
    if (settings.command !== 'serve') return await manage(settings)
    await run(settings)
    return 0
  } catch (error) {
    if (error instanceof UsageError) throw error
    process.stderr.write(`${program.name}: ${failureSentence(error, settings.logLevel)}\n`)
    return 1
  }
})

/** Reads the ledger or writes to it, and ends. */
async function manage(settings: Settings): Promise<number> {
  const { command, account, usd, stakedTokens, partner, keyType, description } = settings
  if (command === 'credit' && usd === undefined && stakedTokens === undefined && partner === undefined) {
    throw new UsageError('Nothing to book: give --usd, --staked or --partner.')
  }
  const administration = await administer(storageOf(settings))
  try {
    if (command === 'credit') print(await administration.credit(account, { usd, stakedTokens, partner }))
    if (command === 'key') print(await administration.makeKey(account, { type: keyType, description }))
    if (command !== 'audit') return 0
    const { summary, faults } = await administration.audit()
    for (const fault of faults) process.stderr.write(`${fault}\n`)
    print(summary)
    return faults.length === 0 ? 0 : 1
  } finally {
    await administration.close()
  }
}

function storageOf({ data, databaseUrl, keyPepper }: Settings) {
  return { ...(databaseUrl === undefined ? { data } : { databaseUrl }), ...(keyPepper !== undefined && { keyPepper }) }
}

/** Serves until SIGTERM or SIGINT, then finishes what is under way. */
async function run(settings: Settings): Promise<void> {
  const { logLevel: level, logFormat: format } = settings
  const log = createLog({ level, format, write: (line) => process.stderr.write(line), now: Date.now })
  // The service needs its origin, and with port 0 that is known only once somebody listens.
  let service: Service | undefined
  const server = createServer(
    async (request, info) =>
      service?.fetch(request, info) ??
      Response.json({ error: 'The service is starting.' }, { status: 503, headers: { 'retry-after': '1' } }),
    { connectionsPerAddress: settings.connectionsPerAddress, clientAddress: createClientAddress(settings.trustedProxies) },
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
      ...(settings.speechUpstream && { speech: createUpstreamSpeech(settings.speechUpstream) }),
      ...(settings.videosAtOnce !== undefined && { videosAtOnce: settings.videosAtOnce }),
      ...(settings.videoUpstream && { video: createUpstreamVideo(settings.videoUpstream) }),
      onError: log.crash,
      onTrouble: log.trouble,
      onRequest: log.request,
    })
  } catch (error) {
    server.close()
    throw error
  }
  print(`Farebox service listening on ${origin}`)
  const payments = settings.facilitator
    ? `Payments are settled by ${new URL(settings.facilitator.url).host}: money moves.`
    : 'Payments are verified here and not settled on a chain: no money moves.'
  print(`Base URL ${origin}/api/v1, data in ${settings.databaseUrl === undefined ? settings.data : 'PostgreSQL'}. ${payments}`)
  log.info('ready', { origin, version: program.version, storage: settings.databaseUrl === undefined ? 'folder' : 'PostgreSQL' })
  log.info('stopping', { signal: await stopped() })
  await close()
  await service.close()
  log.info('stopped')
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

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
