import { expected, type Arguments, type Environment } from '@farebox/command-line'
import type { ChainNodes } from '../../domain/reconciliation/chains.js'
import type { Retention } from '../../domain/retention.js'
import type { PayeeOptions } from '../../domain/payments/service-rail.js'
import { logFormats, logLevels, type LogOptions } from '../../platform/telemetry/log.js'
import { isTimeoutScale, scaleForm, scaleVariable } from '../../platform/time-limit.js'
import { keySettingsOf, type KeySettings } from './key-settings.js'
import type { commands, FlagName } from './program.js'
import { facilitatorOf, payeesOf, type FacilitatorSettings } from './payment-settings.js'
import { keepOf, operatorOf, type OperatorSettings, upstreamsOf, type UpstreamSource } from './serve-settings.js'
import { chainNodesOf, reconcileOf, type ReconcileSettings, usageSettingsOf, type UsageSettings } from './report-settings.js'
import { readSecretFile, secretsOf, urlsWithoutPassword } from './secrets.js'
import { amountOf, commandOf, fileOf, longestAccount, textOf, databaseUrlOf, originOf, proxiesOf } from './values.js'

/** What the command was asked for. */
export type Settings = {
  readonly command: (typeof commands)[number]
  /** Of `backup` and `restore`. */
  readonly file: string
  readonly host: string
  readonly port: number
  readonly data: string
  readonly databaseUrl: string | undefined
  readonly origin: string | undefined
  readonly trustedProxies: readonly string[]
  readonly proxyProtocol: boolean
  readonly connectionsPerAddress: number
  readonly serviceName: string
  readonly adminKey: string | undefined
  readonly adminCreditUsd: number | undefined
  readonly keyPepper: string | undefined
  /** Those before, in a rotation. */
  readonly keyPepperOld: string | undefined
  readonly adminKeyOld: string | undefined
  /** Of `serve` and `audit`. */
  readonly auditAnchor: string | undefined
  readonly payees: PayeeOptions
  readonly facilitator: FacilitatorSettings | undefined
  readonly nameBackends: boolean
  readonly wallets: boolean
  readonly unsettledPayments: boolean
  readonly allowNonceReuse: boolean
  readonly logLevel: LogOptions['level']
  readonly logFormat: LogOptions['format']
  readonly metricsKey: string | undefined
  readonly operator: OperatorSettings | undefined
  readonly upstreams: UpstreamSource
  readonly drainSeconds: number
  readonly keep: Retention
  readonly filesAtOnce: number | undefined
  readonly videosAtOnce: number | undefined
  /** Of `credit`. */
  readonly account: string
  readonly usd: number | undefined
  readonly stakedTokens: number | undefined
  readonly partner: boolean | undefined
  /** Of `audit`. */
  readonly onlyNew: boolean
  /** Of `reconcile`. */
  readonly reconcile: ReconcileSettings
  /** Of `serve` and `reconcile`. */
  readonly chainNodes: ChainNodes | undefined
  /** A file that changes the contract's tables. */
  readonly catalogue: string | undefined
  /** Of `usage`. */
  readonly usage: UsageSettings | undefined
  /** Of `keys`. */
  readonly keys: KeySettings | undefined
}

/**
 * Validates what the command line and the environment say. A secret comes from its variable, or
 * from the file that a flag names. Throws `UsageError`.
 */
export function readSettings(given: Arguments<FlagName>, environment: Environment, readFile = readSecretFile): Settings {
  const scale = environment[scaleVariable]
  if (scale !== undefined && !isTimeoutScale(scale)) throw expected(scaleVariable, scale, scaleForm)
  const value = (flag: FlagName): string | undefined => given.text(flag) || undefined
  const secret = secretsOf(value, environment, readFile)
  const withoutPassword = urlsWithoutPassword(value, environment)
  return {
    command: commandOf(given.operands),
    file: fileOf(given.operands),
    host: value('host') ?? '127.0.0.1',
    port: given.integer('port', 0, 65_535) ?? 4020,
    data: value('data') ?? './farebox-data',
    databaseUrl: databaseUrlOf(withoutPassword('database-url')),
    origin: originOf(value('origin')),
    ...proxiesOf(value('trusted-proxies'), given.has('proxy-protocol')),
    connectionsPerAddress: given.integer('connections-per-address', 1, 1_000_000) ?? 256,
    serviceName: value('service-name') ?? 'Farebox',
    adminKey: secret('admin-key'),
    adminCreditUsd: amountOf('admin-credit', value('admin-credit')),
    keyPepper: secret('key-pepper'),
    keyPepperOld: secret('key-pepper-old'),
    adminKeyOld: secret('admin-key-old'),
    auditAnchor: value('audit-anchor'),
    payees: payeesOf(value),
    facilitator: facilitatorOf(value, secret('facilitator-key'), withoutPassword('solana-rpc')),
    nameBackends: given.has('name-backends'),
    wallets: !given.has('no-wallets'),
    unsettledPayments: given.has('unsettled-payments'),
    allowNonceReuse: given.has('allow-nonce-reuse'),
    logLevel: given.choice('log-level', logLevels) ?? 'info',
    logFormat: given.choice('log-format', logFormats) ?? 'json',
    metricsKey: secret('metrics-key'),
    operator: operatorOf(given, secret('operator-key')),
    upstreams: upstreamsOf(value, secret),
    drainSeconds: given.integer('drain-seconds', 0, 3_600) ?? (value('database-url') === undefined ? 0 : 10),
    keep: keepOf(given),
    filesAtOnce: given.integer('files-at-once', 1, 64),
    videosAtOnce: given.integer('videos-at-once', 1, 1_000),
    account: textOf('account', value('account') ?? 'admin', longestAccount),
    usd: amountOf('usd', value('usd')),
    stakedTokens: amountOf('staked', value('staked')),
    partner: given.has('partner') ? true : given.has('no-partner') ? false : undefined,
    onlyNew: given.has('new'),
    reconcile: reconcileOf(given),
    chainNodes: chainNodesOf(withoutPassword('rpc-url')),
    catalogue: value('catalogue'),
    usage: usageSettingsOf(given),
    keys: keySettingsOf(given),
  }
}

/** Where the database is, as the functions that open it take it. */
export function storageOf({ data, databaseUrl, keyPepper, keyPepperOld, auditAnchor }: Settings) {
  return {
    ...(databaseUrl === undefined ? { data } : { databaseUrl }),
    ...(keyPepper !== undefined && { keyPepper }),
    ...(keyPepperOld !== undefined && { keyPepperOld }),
    ...(auditAnchor !== undefined && { auditAnchor }),
  }
}
