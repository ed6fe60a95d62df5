import { UsageError, type Environment } from '@farebox/command-line'
import { toSettlementChoice, findSettlementFault } from '../../app/payments.js'
import { contractCatalogue } from '../../domain/models/catalogue.js'
import { readCatalogue } from '../../domain/models/read-catalogue.js'
import { readRoutes, createFacilitatorClient } from '../../domain/payments/facilitator-client.js'
import { findRail, paymentRails, type PayeeOptions } from '../../domain/payments/payment-rails.js'
import { discard } from '../../platform/bounded-body.js'
import { isRecord } from '../../platform/unknown-value.js'
import { isLoopback } from '../../platform/server/client-address.js'
import {
  supportedFormats,
  withDefaults,
  type GivenUpstream,
  type UpstreamSettings,
  removeTrailingSlashes,
} from '../../platform/upstream/upstream-settings.js'
import type { UpstreamSource } from '../settings/serve-settings.js'
import type { Settings } from '../settings/settings.js'
import { readUpstreams } from '../upstream-file/read-upstreams.js'
import { checkSkew } from './check-storage.js'
import {
  fail,
  pass,
  skip,
  warn,
  type FindingDetails,
  describeTransportFault,
  type Sources,
  type Finding,
} from './finding.js'

/** Whether the public origin leads to this service, over TLS. */
export async function checkOrigin(
  { origin, databaseUrl }: Settings,
  { fetch: send }: Pick<Sources, 'fetch'>,
): Promise<FindingDetails> {
  if (origin === undefined) {
    if (databaseUrl === undefined) return skip('no --origin: only this machine calls the service')
    return fail(
      'there is no --origin',
      'Give every process the public origin of its load balancer, which sign-in messages name.',
    )
  }
  let document: unknown
  try {
    const response = await send(`${origin}/openapi.json`, { redirect: 'manual' })
    document = response.status === 200 ? await response.json() : undefined
    if (response.status !== 200)
      return fail(
        `${origin}/openapi.json has status ${response.status}`,
        'Let the proxy pass every path to the service, unchanged.',
      )
  } catch (error) {
    const why =
      error instanceof SyntaxError ? 'something else responds' : describeTransportFault(error)
    if (why === 'ECONNREFUSED')
      return warn(`nothing listens at ${origin}`, 'Start the service, or the proxy in front of it.')
    return fail(`${origin}: ${why}`, 'Check the name, the certificate and the proxy.')
  }
  const said = readServerUrl(document)
  if (said !== `${origin}/api/v1`)
    return fail(
      `the service there has the origin ${said ?? 'unknown'}`,
      `Give it --origin ${origin}: it rejects sign-ins otherwise.`,
    )
  if (new URL(origin).protocol === 'https:' || isLoopback(new URL(origin).hostname))
    return pass(`${origin} leads to the service`)
  return fail(
    `${origin} has no TLS`,
    'Put a TLS proxy in front: keys and sign-ins can be read in transit.',
  )
}

function readServerUrl(document: unknown): string | undefined {
  const servers =
    isRecord(document) && Array.isArray(document['servers'])
      ? (document['servers'] as unknown[])
      : []
  const url = isRecord(servers[0]) ? servers[0]['url'] : undefined
  return typeof url === 'string' ? url.slice(0, 200) : undefined
}

/** Asks each upstream for something that is free and needs its key. */
export async function checkUpstreams(
  settings: Settings,
  environment: Environment,
  sources: Pick<Sources, 'fetch'>,
): Promise<readonly Finding[]> {
  try {
    const upstreams = listUpstreams(settings, environment)
    if (upstreams.length === 0) return [{ check: 'upstreams', ...skip('there are none') }]
    return await Promise.all(
      upstreams.map(async (upstream) => {
        const place = locateUpstream(settings.upstreams, upstream)
        return { check: place.check, ...(await checkUpstream(upstream, place, sources)) }
      }),
    )
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return [{ check: 'upstreams', ...fail(error.message, 'The service does not start with it.') }]
  }
}

function listUpstreams(
  { upstreams, catalogue }: Settings,
  environment: Environment,
): readonly GivenUpstream[] {
  const models = catalogue === undefined ? contractCatalogue : readCatalogue(catalogue)
  return readUpstreams(upstreams, { environment, catalogue: models })
}

/** Where an operator sets an upstream and its key. */
type UpstreamPlace = { readonly check: string; readonly place: string; readonly keyPlace: string }

function locateUpstream(
  source: UpstreamSource,
  { name, capability }: GivenUpstream,
): UpstreamPlace {
  if ('file' in source) {
    const place = `"${name}" in ${source.file}`
    return { check: `upstream ${name}`, place, keyPlace: `the key of ${place}` }
  }
  const check = `${capability}-upstream`
  const keyPlace = `FAREBOX_${check.replace('-', '_').toUpperCase()}_KEY`
  return { check, place: `--${check}`, keyPlace }
}

/** With their defaults. Empty for an invalid file, which is a finding of `checkUpstreams`. */
function readUpstreamSettings(
  settings: Settings,
  environment: Environment,
): readonly UpstreamSettings[] {
  try {
    return listUpstreams(settings, environment).map(withDefaults)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return []
  }
}

async function checkUpstream(
  { url, apiKey, ...upstream }: GivenUpstream,
  { place, keyPlace }: UpstreamPlace,
  { fetch: send }: Pick<Sources, 'fetch'>,
): Promise<FindingDetails> {
  const { host } = new URL(url)
  const path = freePath(upstream)
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
  let status: number
  try {
    const response = await send(`${removeTrailingSlashes(url)}${path}`, {
      headers,
      redirect: 'manual',
    })
    status = response.status
    await discard(response)
  } catch (error) {
    return fail(`${host}: ${describeTransportFault(error)}`, `Check ${place} and the network.`)
  }
  if (status === 401 || status === 403)
    return fail(
      `${host} ${apiKey === undefined ? 'asks for a key' : 'rejects the key'} (status ${status})`,
      `Set ${keyPlace}.`,
    )
  if (status === 200)
    return pass(`${host} responds${apiKey === undefined ? '' : ' and accepts the key'}`)
  if (status === 404 || status === 405)
    return pass(`${host} responds; it has no ${path}, so its key was not tested`)
  return fail(
    `${host} has status ${status} for ${path}`,
    `Check ${place}: its URL must be the base URL of the API.`,
  )
}

function freePath({
  capability,
  format = supportedFormats[capability][0],
}: Pick<GivenUpstream, 'capability' | 'format'>): string {
  return format === 'openai' ? '/models' : '/api_keys/rate_limits'
}

/** Whether the facilitator settles what is offered, and shares the clock of this machine. */
export async function checkFacilitator(
  settings: Settings,
  environment: Environment,
  { fetch: send, now }: Sources,
): Promise<readonly Finding[]> {
  const { facilitator, payees, wallets } = settings
  const fault = findSettlementFault(toSettlementChoice(settings), {
    ...settings,
    upstreams: readUpstreamSettings(settings, environment),
  })
  if (fault !== undefined)
    return [{ check: 'facilitator', ...fail(fault, 'The service does not start like this.') }]
  if (!wallets)
    return [{ check: 'facilitator', ...skip('there is none: wallets are not accepted') }]
  if (facilitator === undefined)
    return [{ check: 'facilitator', ...skip('there is none: no money moves') }]
  let date: string | null = null
  const seen: typeof fetch = async (input, init) => {
    const response = await send(input, init)
    date = response.headers.get('date')
    return response
  }
  const reply = await createFacilitatorClient({ ...facilitator, fetch: seen }).supported()
  const { host } = new URL(facilitator.url)
  const one = (found: FindingDetails): Finding => ({ check: 'facilitator', ...found })
  if (reply.kind !== 'response')
    return [
      one(fail(`${host}${reply.why}`, 'Check --facilitator and the network: top-ups return 503.')),
    ]
  if (reply.status === 401 || reply.status === 403)
    return [one(fail(`${host} rejects the key`, 'Set FAREBOX_FACILITATOR_KEY.'))]
  if (reply.status !== 200 || reply.json === undefined)
    return [
      one(
        fail(
          `${host}/supported has status ${reply.status}`,
          'Check --facilitator: it must be the base URL of /supported.',
        ),
      ),
    ]
  // networks that the operator names must be settled, or else every network with a payee
  const payable = Object.values(paymentRails).filter(({ option }) => payees[option] !== undefined)
  const networks = facilitator.networks ?? payable.map(({ network }) => network)
  const settled = readRoutes(reply.json, networks, payees).map(({ network }) => network)
  const missing = networks.filter((network) => !settled.includes(network))
  const clock: readonly Finding[] =
    date === null
      ? []
      : [{ check: 'facilitator-clock', ...checkSkew(Date.parse(date) - now(), 'the facilitator') }]
  const more =
    facilitator.uptoUsd === undefined
      ? clock
      : [...clock, { check: 'facilitator-upto', ...checkUpto(host, reply.json, networks, payees) }]
  if (missing.length === 0)
    return [one(pass(`${host} settles on ${settled.join(' and ')}`)), ...more]
  const advice =
    'Name what it supports with --facilitator-networks, each with its --pay-to or --pay-to-solana, or use another facilitator.'
  return [
    one(fail(`${host} does not settle on ${missing.join(' and ')} for your payees`, advice)),
    ...more,
  ]
}

/** Whether the facilitator settles `upto` on every EVM network that is offered. */
function checkUpto(
  host: string,
  supported: Readonly<Record<string, unknown>>,
  wanted: readonly string[],
  payees: PayeeOptions,
): FindingDetails {
  const networks = wanted.filter((network) => findRail(network).facilitatorExtra.upto)
  const settled = readRoutes(supported, networks, payees, 'upto').map(({ network }) => network)
  const missing = networks.filter((network) => !settled.includes(network))
  if (networks.length > 0 && missing.length === 0)
    return pass(`${host} settles "upto" on ${settled.join(' and ')}`)
  return fail(
    networks.length === 0
      ? '--upto-usd is set, and no EVM network is offered'
      : `${host} does not settle "upto" on ${missing.join(' and ')} for your payees, or names no facilitatorAddress there`,
    'Leave --upto-usd out, set --pay-to and --facilitator-networks to an EVM network that it lists with "upto" in /supported, or use another facilitator.',
  )
}
