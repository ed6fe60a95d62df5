import { parseArgs } from 'node:util'
import { usdcMintOn, usdcOn } from '@farebox/auth/verify'
import { isSolanaAddress } from './domain/payments/is-solana-address.js'
import { logFormats, logLevels, type LogOptions } from './platform/telemetry/log.js'

const commands = ['serve', 'audit', 'credit', 'key'] as const

/** What the command was asked for; flags win over the environment. */
export type Settings = {
  readonly command: (typeof commands)[number]
  readonly show?: 'help' | 'version'
  readonly host: string
  readonly port: number
  readonly data: string
  readonly databaseUrl: string | undefined
  readonly origin: string | undefined
  readonly serviceName: string
  readonly adminKey: string | undefined
  readonly adminCreditUsd: number | undefined
  readonly keyPepper: string | undefined
  readonly payTo: string | undefined
  readonly payToSolana: string | undefined
  readonly facilitator: FacilitatorSettings | undefined
  readonly allowNonceReuse: boolean
  readonly logLevel: LogOptions['level']
  readonly logFormat: LogOptions['format']
  readonly metricsKey: string | undefined
  readonly speechUpstream: Upstream | undefined
  readonly videoUpstream: Upstream | undefined
  /** Of `credit` and `key`. */
  readonly account: string
  readonly usd: number | undefined
  readonly stakedTokens: number | undefined
  readonly partner: boolean | undefined
  readonly keyType: 'ADMIN' | 'INFERENCE'
  readonly description: string
}

/** Who settles payments; of the key either the text or the file it is in. */
export type FacilitatorSettings = {
  readonly url: string
  readonly key?: string
  readonly keyFile?: string
  /** CAIP-2. */
  readonly networks?: readonly string[]
  readonly solanaRpc?: { readonly url: string }
}

/** Another service that does the work. */
export type Upstream = { readonly url: string; readonly apiKey?: string }

/** A command line that cannot be followed. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const usage = `Usage: farebox-service [command] [options]

Serves the Farebox inference API from an embedded database, or from PostgreSQL.

Commands
  serve (default)             serve until SIGTERM or SIGINT
  audit                       recompute every balance from its entries; exit 1
                              when one differs
  credit                      book --usd on --account, set the tokens that it has
                              staked (--staked) or the limits of partners (--partner)
  key                         make an API key for --account and print it once

Options of all commands
  --data ./farebox-data       the folder of the database, held alone         FAREBOX_DATA
  --database-url URL          a PostgreSQL in place of the folder:
                              postgres://USER:PASSWORD@HOST:PORT/NAME        FAREBOX_DATABASE_URL
  --key-pepper SECRET         keys the hashes of API keys; without it one
                              is made and kept in the database               FAREBOX_KEY_PEPPER
  --help, --version

Options of serve
  --port 4020                 0 picks a free one                             FAREBOX_PORT
  --host 127.0.0.1            the address to listen at                       FAREBOX_HOST
  --origin URL                the public origin, which sign-in messages
                              must name (default: http://HOST:PORT)          FAREBOX_ORIGIN
  --service-name Farebox      stands in the sign-in statement                FAREBOX_SERVICE_NAME
  --admin-key KEY             a bearer key with full access; better in the
                              environment, where ps does not show it         FAREBOX_ADMIN_KEY
  --admin-credit 100          USD that its account has on a new database     FAREBOX_ADMIN_CREDIT
  --pay-to ADDRESS            the EVM address that top-ups pay to            FAREBOX_PAY_TO
  --pay-to-solana ADDRESS     the Solana address that they pay to            FAREBOX_PAY_TO_SOLANA
  --facilitator URL           an x402 facilitator, which verifies top-ups and
                              sends them to the chain; without it they are
                              verified here and no money moves. Wants --pay-to,
                              --pay-to-solana or both                        FAREBOX_FACILITATOR
  --facilitator-key-file FILE holds the bearer key for it, which may stand
                              in FAREBOX_FACILITATOR_KEY instead             FAREBOX_FACILITATOR_KEY_FILE
  --facilitator-networks LIST base,solana; or base-sepolia, solana-devnet
                              (what is paid there is credited as money)      FAREBOX_FACILITATOR_NETWORKS
  --solana-rpc URL            a Solana node that gives its offers on Solana
                              a recentBlockhash, so that wallets need none   FAREBOX_SOLANA_RPC
  --allow-nonce-reuse         take a sign-in message until it expires,
                              not once                                       FAREBOX_ALLOW_NONCE_REUSE=1
  --log-level info            what goes to stderr: debug, info, warn, error
                              or silent                                      FAREBOX_LOG_LEVEL
  --log-format json           or text                                        FAREBOX_LOG_FORMAT
  --metrics-key KEY           the bearer key that /metrics asks for; without
                              it anybody may read them                       FAREBOX_METRICS_KEY

  --speech-upstream URL       a service with OpenAI's /audio/speech, which
                              stands after URL; its voices speak             FAREBOX_SPEECH_UPSTREAM
  --speech-upstream-key KEY   the bearer key for it                          FAREBOX_SPEECH_UPSTREAM_KEY
  --video-upstream URL        a service with this contract's /video/queue
                              after URL; it makes the videos                 FAREBOX_VIDEO_UPSTREAM
  --video-upstream-key KEY    the bearer key for it                          FAREBOX_VIDEO_UPSTREAM_KEY

Options of credit and key
  --account admin             whose; admin is the one of --admin-key
  --usd 10                    credit: USD to book
  --staked 25                 credit: tokens staked, each worth 1 USD a UTC day
  --partner, --no-partner     credit: whether the limits of partners hold
  --type INFERENCE            key: or ADMIN
  --description TEXT          key: what it is for

Exit codes: 0 done, 1 the folder, the database or the port cannot be had, or an audit found a difference, 2 wrong usage.`

const flags = [
  'port',
  'host',
  'data',
  'database-url',
  'origin',
  'service-name',
  'admin-key',
  'admin-credit',
  'key-pepper',
  'pay-to',
  'pay-to-solana',
  'facilitator',
  'facilitator-key-file',
  'facilitator-networks',
  'solana-rpc',
  'log-level',
  'log-format',
  'metrics-key',
  'speech-upstream',
  'speech-upstream-key',
  'video-upstream',
  'video-upstream-key',
  'account',
  'usd',
  'staked',
  'type',
  'description',
] as const
const switches = ['allow-nonce-reuse', 'partner', 'no-partner'] as const

type Environment = Readonly<Record<string, string | undefined>>

export function readSettings(args: readonly string[], environment: Environment): Settings {
  const { values: given, positionals } = parse(args)
  const value = (flag: (typeof flags)[number]): string | undefined => {
    const text = given[flag] ?? environment[variable(flag)]
    return typeof text === 'string' && text !== '' ? text : undefined
  }
  return {
    command: commandOf(positionals),
    ...(given['help'] === true ? { show: 'help' as const } : given['version'] === true ? { show: 'version' as const } : {}),
    host: value('host') ?? '127.0.0.1',
    port: portOf(value('port') ?? '4020'),
    data: value('data') ?? './farebox-data',
    databaseUrl: databaseUrlOf(value('database-url')),
    origin: originOf(value('origin')),
    serviceName: value('service-name') ?? 'Farebox',
    adminKey: keyOf('admin', value('admin-key')),
    adminCreditUsd: amountOf('admin-credit', value('admin-credit')),
    keyPepper: value('key-pepper'),
    payTo: addressOf(value('pay-to')),
    payToSolana: solanaAddressOf(value('pay-to-solana')),
    facilitator: facilitatorOf(value, environment['FAREBOX_FACILITATOR_KEY']),
    allowNonceReuse: given['allow-nonce-reuse'] === true || environment['FAREBOX_ALLOW_NONCE_REUSE'] === '1',
    logLevel: oneOf(logLevels, 'log-level', value('log-level') ?? 'info'),
    logFormat: oneOf(logFormats, 'log-format', value('log-format') ?? 'json'),
    metricsKey: keyOf('metrics', value('metrics-key')),
    speechUpstream: upstreamOf('speech', value('speech-upstream'), value('speech-upstream-key')),
    videoUpstream: upstreamOf('video', value('video-upstream'), value('video-upstream-key')),
    account: textOf('account', value('account') ?? 'admin', longestAccount),
    usd: amountOf('usd', value('usd')),
    stakedTokens: amountOf('staked', value('staked')),
    partner: given['partner'] === true ? true : given['no-partner'] === true ? false : undefined,
    keyType: oneOf(['INFERENCE', 'ADMIN'] as const, 'type', value('type') ?? 'INFERENCE'),
    description: textOf('description', value('description') ?? '', longestDescription),
  }
}

function parse(args: readonly string[]) {
  const texts = flags.map((flag) => [flag, { type: 'string' as const }])
  const marks = [...switches, 'version'].map((flag) => [flag, { type: 'boolean' as const }])
  const options = { ...Object.fromEntries([...texts, ...marks]), help: { type: 'boolean' as const, short: 'h' } }
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    return { values: values as Readonly<Record<string, string | boolean | undefined>>, positionals }
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function commandOf([first = 'serve', ...rest]: readonly string[]): Settings['command'] {
  const found = commands.find((command) => command === first)
  if (found === undefined || rest.length > 0) {
    throw new UsageError(`The command is ${JSON.stringify([first, ...rest].join(' '))}; expected one of ${commands.join(', ')}.`)
  }
  return found
}

function variable(flag: string): string {
  return `FAREBOX_${flag.replaceAll('-', '_').toUpperCase()}`
}

function portOf(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new UsageError(`The port is ${JSON.stringify(text)}; expected a number from 0 to 65535.`)
  return port
}

function originOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '') {
    throw new UsageError(`The origin is ${JSON.stringify(text)}; expected one like https://api.example.com, without a path.`)
  }
  return url.origin
}

/** What is wrong with it is not repeated: it holds a password. */
function databaseUrlOf(text: string | undefined): string | undefined {
  if (text === undefined || (URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol))) return text
  throw new UsageError('The database URL is not one; expected postgres://USER:PASSWORD@HOST:PORT/NAME.')
}

function keyOf(which: string, text: string | undefined): string | undefined {
  if (text === undefined || /^[\x21-\x7e]+$/.test(text)) return text
  throw new UsageError(`The ${which} key holds a space or a character that no header can carry.`)
}

function upstreamOf(what: string, text: string | undefined, key: string | undefined): Upstream | undefined {
  const apiKey = keyOf(`${what} upstream`, key)
  if (text === undefined && apiKey === undefined) return undefined
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '')
    return { url: url.href, ...(apiKey !== undefined && { apiKey }) }
  throw new UsageError(
    `The ${what} upstream is ${text === undefined ? 'missing, and has a key' : 'not a URL that can be called'}; expected one like https://${what}.example/v1, without a user, a query or a fragment.`,
  )
}

function addressOf(text: string | undefined): string | undefined {
  if (text === undefined || (/^0x[0-9a-fA-F]{40}$/.test(text) && !/^0x0+$/.test(text))) return text
  throw new UsageError(`The address to pay to is ${JSON.stringify(text)}; expected 0x and 40 hex digits that are not all 0.`)
}

function solanaAddressOf(text: string | undefined): string | undefined {
  if (text === undefined || isSolanaAddress(text)) return text
  throw new UsageError(`The Solana address to pay to is ${JSON.stringify(text)}; expected base58 of 32 bytes.`)
}

function facilitatorOf(
  value: (flag: (typeof flags)[number]) => string | undefined,
  key: string | undefined,
): FacilitatorSettings | undefined {
  const text = value('facilitator')
  const keyFile = value('facilitator-key-file')
  const names = value('facilitator-networks')
  const rpc = value('solana-rpc')
  if (text === undefined) {
    if (keyFile === undefined && names === undefined && rpc === undefined) return undefined
    throw new UsageError('There is a key, a list of networks or a Solana node for a facilitator, and no --facilitator.')
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError(
      'The facilitator is not a URL that can be called; expected one like https://facilitator.example/x402, without a user or a query.',
    )
  }
  const secret = key === '' ? undefined : keyOf('facilitator', key)
  if ((secret ?? keyFile) !== undefined && url.protocol === 'http:' && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)) {
    throw new UsageError(`The facilitator has a key, which would travel to ${url.hostname} for all to read; expected https.`)
  }
  if (value('pay-to') === undefined && value('pay-to-solana') === undefined) {
    throw new UsageError('A facilitator moves money, and nobody is named who gets it; give --pay-to, --pay-to-solana or both.')
  }
  const networks = names?.split(',').map(networkOf)
  return {
    url: url.href,
    ...(rpc !== undefined && { solanaRpc: { url: nodeOf(rpc, networks) } }),
    ...(secret !== undefined && { key: secret }),
    ...(secret === undefined && keyFile !== undefined && { keyFile }),
    ...(networks && { networks }),
  }
}

/** What is wrong with it is not repeated: it may hold a key. */
function nodeOf(text: string, networks: readonly string[] = []): string {
  if (networks.filter((network) => usdcMintOn(network)).length > 1) {
    throw new UsageError('One --solana-rpc cannot speak for two Solana networks; name one of them in --facilitator-networks.')
  }
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new UsageError('The Solana node is not a URL that can be called; expected one like https://solana.example/rpc.')
}

function networkOf(name: string): string {
  const found = usdcOn(name.trim()) ?? usdcMintOn(name.trim())
  if (found) return found.network
  throw new UsageError(`The network ${JSON.stringify(name)} is not known; expected base, solana, base-sepolia or solana-devnet.`)
}

function amountOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) return Number(text)
  throw new UsageError(`--${flag} is ${JSON.stringify(text)}; expected an amount such as 10 or 0.25, below a thousand million.`)
}

/** What stands in an index of the database has to fit there. */
const longestAccount = 100
/** Of a key, as the contract has it. */
const longestDescription = 64

function textOf(flag: string, text: string, longest: number): string {
  const { length } = Array.from(text)
  if (length <= longest) return text
  throw new UsageError(`--${flag} has ${length} characters; expected at most ${longest}.`)
}

function oneOf<T extends string>(choices: readonly T[], flag: string, text: string): T {
  const found = choices.find((choice) => choice === text)
  if (found !== undefined) return found
  throw new UsageError(`--${flag} is ${JSON.stringify(text)}; expected one of ${choices.join(', ')}.`)
}
