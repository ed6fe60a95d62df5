import { expected, UsageError, type Arguments, type Environment } from '@farebox/command-line'
import { rails, usdcMintOn, usdcTokenOn } from '@farebox/auth/verify'
import { paymentRails, readPayees } from './domain/payments/payment-rails.js'
import type { PayeeOptions } from './domain/payments/service-rail.js'
import { createClientAddress } from './platform/server/client-address.js'
import { logFormats, logLevels, type LogOptions } from './platform/telemetry/log.js'
import { commands, keyTypes, variable, type FlagName, type SecretName } from './program.js'
import { isTimeoutScale, scaleForm, scaleVariable } from './platform/time-limit.js'
import { readSecretFile } from './read-secret-file.js'

/** What the command was asked for. */
export type Settings = {
  readonly command: (typeof commands)[number]
  readonly host: string
  readonly port: number
  readonly data: string
  readonly databaseUrl: string | undefined
  readonly origin: string | undefined
  readonly trustedProxies: readonly string[]
  readonly connectionsPerAddress: number
  readonly serviceName: string
  readonly adminKey: string | undefined
  readonly adminCreditUsd: number | undefined
  readonly keyPepper: string | undefined
  readonly payees: PayeeOptions
  readonly facilitator: FacilitatorSettings | undefined
  readonly allowNonceReuse: boolean
  readonly logLevel: LogOptions['level']
  readonly logFormat: LogOptions['format']
  readonly metricsKey: string | undefined
  readonly speechUpstream: Upstream | undefined
  readonly videoUpstream: Upstream | undefined
  readonly videosAtOnce: number | undefined
  /** Of `credit` and `key`. */
  readonly account: string
  readonly usd: number | undefined
  readonly stakedTokens: number | undefined
  readonly partner: boolean | undefined
  readonly keyType: 'ADMIN' | 'INFERENCE'
  readonly description: string
}

/** Who settles payments. */
export type FacilitatorSettings = {
  readonly url: string
  readonly key?: string
  /** CAIP-2. */
  readonly networks?: readonly string[]
  readonly solanaRpc?: { readonly url: string }
}

/** Another service that does the work. */
export type Upstream = { readonly url: string; readonly apiKey?: string }

/**
 * Validates what the command line and the environment say. A secret comes from its variable, or
 * from the file that a flag names. Throws `UsageError`.
 */
export function readSettings(given: Arguments<FlagName>, environment: Environment, readFile = readSecretFile): Settings {
  const scale = environment[scaleVariable]
  if (scale !== undefined && !isTimeoutScale(scale)) throw expected(scaleVariable, scale, scaleForm)
  const value = (flag: FlagName): string | undefined => given.text(flag) || undefined
  const secret = (name: SecretName): string | undefined => {
    const file = value(`${name}-file`)
    return keyOf(variable(name), environment[variable(name)] || (file && readFile(file)) || undefined)
  }
  /** The message does not repeat the value. */
  const withoutPassword = (flag: FlagName): string | undefined => {
    const text = value(flag)
    if (text === undefined || text === environment[variable(flag)] || !URL.canParse(text)) return text
    const { password, search } = new URL(text)
    if (password === '' && !/[?&][\w-]*(?:key|password|secret|token)=/i.test(search)) return text
    throw new UsageError(
      `--${flag}: found a password or a key in it, which everybody who runs ps would read. Set ${variable(flag)} to the URL instead.`,
    )
  }
  return {
    command: commandOf(given.operands),
    host: value('host') ?? '127.0.0.1',
    port: given.integer('port', 0, 65_535) ?? 4020,
    data: value('data') ?? './farebox-data',
    databaseUrl: databaseUrlOf(withoutPassword('database-url')),
    origin: originOf(value('origin')),
    trustedProxies: proxiesOf(value('trusted-proxies')),
    connectionsPerAddress: given.integer('connections-per-address', 1, 1_000_000) ?? 256,
    serviceName: value('service-name') ?? 'Farebox',
    adminKey: secret('admin-key'),
    adminCreditUsd: amountOf('admin-credit', value('admin-credit')),
    keyPepper: secret('key-pepper'),
    payees: payeesOf(value),
    facilitator: facilitatorOf(value, secret('facilitator-key'), withoutPassword('solana-rpc')),
    allowNonceReuse: given.has('allow-nonce-reuse'),
    logLevel: given.choice('log-level', logLevels) ?? 'info',
    logFormat: given.choice('log-format', logFormats) ?? 'json',
    metricsKey: secret('metrics-key'),
    speechUpstream: upstreamOf('speech', value('speech-upstream'), secret('speech-upstream-key')),
    videoUpstream: upstreamOf('video', value('video-upstream'), secret('video-upstream-key')),
    videosAtOnce: given.integer('videos-at-once', 1, 1_000),
    account: textOf('account', value('account') ?? 'admin', longestAccount),
    usd: amountOf('usd', value('usd')),
    stakedTokens: amountOf('staked', value('staked')),
    partner: given.has('partner') ? true : given.has('no-partner') ? false : undefined,
    keyType: given.choice('type', keyTypes) ?? 'INFERENCE',
    description: textOf('description', value('description') ?? '', longestDescription),
  }
}

function commandOf([first = 'serve']: readonly string[]): Settings['command'] {
  const found = commands.find((command) => command === first)
  if (found === undefined) throw expected('COMMAND', first, `one of ${commands.join(', ')}`)
  return found
}

function originOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '') {
    throw expected('--origin', text, 'one like https://api.example.com, without a path')
  }
  return url.origin
}

function proxiesOf(text = ''): readonly string[] {
  const proxies = text.split(',').flatMap((one) => one.trim() || [])
  try {
    createClientAddress(proxies)
  } catch (error) {
    throw new UsageError(`--trusted-proxies: ${error instanceof Error ? error.message : String(error)}.`)
  }
  return proxies
}

/** The message does not repeat the value, which holds a password. */
function databaseUrlOf(text: string | undefined): string | undefined {
  if (text === undefined || (URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol))) return text
  throw new UsageError('--database-url: found no database URL, expected postgres://USER:PASSWORD@HOST:PORT/NAME.')
}

function keyOf(name: string, text: string | undefined): string | undefined {
  if (text === undefined || /^[\x21-\x7e]+$/.test(text)) return text
  throw new UsageError(`${name}: found a space or a character that no header can carry, expected printable ASCII.`)
}

function upstreamOf(what: string, text: string | undefined, apiKey: string | undefined): Upstream | undefined {
  if (text === undefined && apiKey === undefined) return undefined
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '')
    return { url: url.href, ...(apiKey !== undefined && { apiKey }) }
  throw new UsageError(
    `--${what}-upstream: found ${text === undefined ? 'only its key' : 'no URL that can be called'}, expected one like https://${what}.example/v1, without a user, a query or a fragment.`,
  )
}

function payeesOf(value: (flag: FlagName) => string | undefined): PayeeOptions {
  return readPayees(
    ({ flag }) => value(flag),
    ({ flag, form }, found) => expected(`--${flag}`, found, form),
  )
}

function facilitatorOf(
  value: (flag: FlagName) => string | undefined,
  key: string | undefined,
  rpc: string | undefined,
): FacilitatorSettings | undefined {
  const text = value('facilitator')
  const names = value('facilitator-networks')
  if (text === undefined) {
    if (value('facilitator-key-file') === undefined && names === undefined && rpc === undefined) return undefined
    throw new UsageError('--facilitator: found nothing, expected a URL for the given key, networks or Solana node.')
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError(
      '--facilitator: found no URL that can be called, expected one like https://facilitator.example/x402, without a user or a query.',
    )
  }
  if (key !== undefined && url.protocol === 'http:' && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)) {
    throw new UsageError(`--facilitator: found http, which would show the key on its way to ${url.hostname}; expected https.`)
  }
  const payeeFlags = Object.values(paymentRails).map(({ flag }) => flag)
  if (payeeFlags.every((flag) => value(flag) === undefined)) {
    throw new UsageError(`--facilitator: found no recipient of the payments, expected --${payeeFlags.join(' or --')}.`)
  }
  const networks = names?.split(',').map(networkOf)
  return {
    url: url.href,
    ...(rpc !== undefined && { solanaRpc: { url: nodeOf(rpc, networks) } }),
    ...(key !== undefined && { key }),
    ...(networks && { networks }),
  }
}

/** The message does not repeat the value, which may hold a key. */
function nodeOf(text: string, networks: readonly string[] = []): string {
  if (networks.filter((network) => usdcMintOn(network)).length > 1) {
    throw new UsageError('--solana-rpc: found two Solana networks in --facilitator-networks, expected one.')
  }
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new UsageError('--solana-rpc: found no URL that can be called, expected one like https://solana.example/rpc.')
}

function networkOf(name: string): string {
  const found = usdcTokenOn(name.trim())
  if (found) return found.network
  const names = Object.values(rails).flatMap(({ tokens }) => tokens.map(({ networkV1 }) => networkV1))
  throw expected('--facilitator-networks', name, names.join(' or '))
}

function amountOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) return Number(text)
  throw expected(`--${flag}`, text, 'an amount such as 10 or 0.25, below a thousand million')
}

/** The longest text that an index of the database holds. */
const longestAccount = 100
/** Of a key, by the contract. */
const longestDescription = 64

function textOf(flag: string, text: string, longest: number): string {
  const { length } = Array.from(text)
  if (length <= longest) return text
  throw new UsageError(`--${flag}: found ${length} characters, expected at most ${longest}.`)
}
