import {
  expected,
  nearest,
  UsageError,
  type Arguments,
  type Environment,
} from '@farebox/command-line'
import type { PayeeOptions } from '../../domain/payments/payment-rails.js'
import type { ChainNodes } from '../../domain/reconciliation/chains.js'
import type { Retention } from '../../domain/retention.js'
import { isLoopback } from '../../platform/server/client-address.js'
import { logFormats, logLevels, type LogOptions } from '../../platform/telemetry/log.js'
import { isTimeoutScale, scaleForm, scaleVariable } from '../../platform/time.js'
import {
  readKeySettings,
  type KeySettings,
  readMoneySettings,
  type MoneySettings,
} from './manage-settings.js'
import {
  program,
  toVariableName,
  type commands,
  type FlagName,
  type SecretName,
} from './program.js'
import {
  parseChainNodes,
  readReconcileSettings,
  type ReconcileSettings,
  readUsageSettings,
  type UsageSettings,
} from './report-settings.js'
import {
  readSecretFile,
  createSecretReader,
  createUrlReader,
  parseAmount,
  parseCommand,
  parseFile,
  parseDatabaseUrl,
  parseOrigin,
  parseProxies,
  requireLong,
} from './values.js'
import {
  readFacilitator,
  readPayeeFlags,
  type FacilitatorSettings,
  readKeep,
  readOperator,
  type OperatorSettings,
  readUpstreamFlags,
  type UpstreamSource,
} from './serve-settings.js'

/** The settings of all commands. */
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
  readonly connectionsPerAddress: number
  readonly serviceName: string
  readonly adminKey: string | undefined
  readonly adminCreditUsd: number | undefined
  readonly keyPepper: string | undefined
  /** The previous ones, in a rotation. */
  readonly keyPepperOld: string | undefined
  readonly adminKeyOld: string | undefined
  /** Of `serve` and `audit`. */
  readonly auditAnchor: string | undefined
  readonly payees: PayeeOptions
  readonly facilitator: FacilitatorSettings | undefined
  readonly nameBackends: boolean
  /** False: no response is stored for a repeat under an Idempotency-Key. */
  readonly storesResponses: boolean
  readonly wallets: boolean
  readonly unsettledPayments: boolean
  readonly allowNonceReuse: boolean
  readonly logLevel: LogOptions['level']
  readonly logFormat: LogOptions['format']
  readonly metricsKey: string | undefined
  readonly operator: OperatorSettings | undefined
  readonly operatorKey: string | undefined
  readonly upstreams: UpstreamSource
  readonly drainSeconds: number
  readonly keep: Retention
  readonly filesAtOnce: number | undefined
  readonly videosAtOnce: number | undefined
  /** Of the commands that correct accounts. */
  readonly money: MoneySettings | undefined
  /** Of `credit`. */
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
 * Validates the command line and the environment. A secret comes from its variable or from the file
 * that a flag names. Throws `UsageError`.
 */
export function readSettings(
  args: Arguments<FlagName>,
  environment: Environment,
  readFile = readSecretFile,
): Settings {
  rejectMistyped(environment)
  rejectEmpty(args)
  const scale = environment[scaleVariable]
  if (scale !== undefined && !isTimeoutScale(scale)) throw expected(scaleVariable, scale, scaleForm)
  const value = (flag: FlagName): string | undefined => args.text(flag) || undefined
  const secret = createSecretReader(value, environment, readFile)
  const operatorKey = secret('operator-key')
  const withoutPassword = createUrlReader(value, environment)
  const host = value('host') ?? '127.0.0.1'
  const origin = parseOrigin(value('origin'))
  const isOpen =
    !isLoopback(host) || (origin !== undefined && !isLoopback(new URL(origin).hostname))
  const guardSecret = (name: SecretName): string | undefined =>
    isOpen ? requireLong(name, secret(name)) : secret(name)
  return {
    command: parseCommand(args.operands),
    file: parseFile(args.operands),
    host,
    port: args.integer('port', 0, 65_535) ?? 4020,
    data: value('data') ?? './farebox-data',
    databaseUrl: parseDatabaseUrl(withoutPassword('database-url')),
    origin,
    trustedProxies: parseProxies(value('trusted-proxies')),
    connectionsPerAddress: args.integer('connections-per-address', 1, 1_000_000) ?? 256,
    serviceName: value('service-name') ?? 'Farebox',
    adminKey: guardSecret('admin-key'),
    adminCreditUsd: parseAmount('admin-credit', value('admin-credit')),
    keyPepper: guardSecret('key-pepper'),
    keyPepperOld: secret('key-pepper-old'),
    adminKeyOld: secret('admin-key-old'),
    auditAnchor: value('audit-anchor'),
    payees: readPayeeFlags(value),
    facilitator: readFacilitator(value, secret('facilitator-key'), withoutPassword('solana-rpc')),
    nameBackends: args.has('name-backends'),
    storesResponses: !args.has('no-stored-responses'),
    wallets: !args.has('no-wallets'),
    unsettledPayments: args.has('unsettled-payments'),
    allowNonceReuse: args.has('allow-nonce-reuse'),
    logLevel: args.choice('log-level', logLevels) ?? 'info',
    logFormat: args.choice('log-format', logFormats) ?? 'json',
    metricsKey: guardSecret('metrics-key'),
    operator: readOperator(args, operatorKey),
    operatorKey,
    upstreams: readUpstreamFlags(value, secret),
    drainSeconds:
      args.integer('drain-seconds', 0, 3_600) ?? (value('database-url') === undefined ? 0 : 10),
    keep: readKeep(args),
    filesAtOnce: args.integer('files-at-once', 1, 64),
    videosAtOnce: args.integer('videos-at-once', 1, 1_000),
    money: readMoneySettings(args),
    stakedTokens: parseAmount('staked', value('staked')),
    partner: args.has('partner') ? true : args.has('no-partner') ? false : undefined,
    onlyNew: args.has('new'),
    reconcile: readReconcileSettings(args),
    chainNodes: parseChainNodes(withoutPassword('rpc-url')),
    catalogue: value('catalogue'),
    usage: readUsageSettings(args),
    keys: readKeySettings(args),
  }
}

const variables = [
  scaleVariable,
  ...program.flags.flatMap(({ name }) => [
    toVariableName(name),
    toVariableName(name.replace(/-file$/, '')),
  ]),
].map((name) => name.slice(toVariableName('').length))

/**
 * Rejects a variable whose name is nearly that of a setting. Others may belong to the client or to
 * another version.
 */
function rejectMistyped(environment: Environment): void {
  for (const [name, value] of Object.entries(environment)) {
    const rest = name.startsWith(toVariableName(''))
      ? name.slice(toVariableName('').length)
      : undefined
    if (rest === undefined || value === '' || variables.includes(rest)) continue
    const meant = nearest(rest, variables)
    if (meant === undefined) continue
    throw new UsageError(
      `${name}: found no setting of this name, expected ${toVariableName(meant)}. Rename the variable, or unset it.`,
    )
  }
}

/** An option whose value is a shell variable that is not set must not count as left out. */
function rejectEmpty(args: Arguments<FlagName>): void {
  for (const { name, kind, value } of program.flags)
    if (kind === 'text' && args.all(name).includes(''))
      throw expected(`--${name}`, '', `${value}. Leave the option out to use its default`)
}

/** The options of functions that open the database. */
export function toStorageOptions({
  data,
  databaseUrl,
  keyPepper,
  keyPepperOld,
  auditAnchor,
}: Settings) {
  return {
    ...(databaseUrl === undefined ? { data } : { databaseUrl }),
    ...(keyPepper !== undefined && { keyPepper }),
    ...(keyPepperOld !== undefined && { keyPepperOld }),
    ...(auditAnchor !== undefined && { auditAnchor }),
  }
}
