import type { PaymentStore } from '@farebox/auth'
import { requireSecure } from '@farebox/auth/api-key'
import { operations, type Operation, type OperationId } from '@farebox/types/operations'
import {
  createFarebox,
  FareboxError,
  readBaseUrl,
  type Farebox,
  type FareboxOptions,
} from 'farebox'
import { validation, type Validation } from 'farebox/validation'
import { type Context, type Environment, UsageError } from '../command.js'
import { readSettings, findSettingsPath, type Settings } from '../settings/settings.js'

/** The SDK with the user's settings, and the caller that it authenticates as. */
export type Connection = {
  readonly farebox: Farebox
  readonly baseUrl: string
  readonly as: Caller
  /** The address of the wallet. */
  readonly address?: string
}

export type Service = {
  readonly baseUrl: string
  readonly allowInsecureHttp: boolean
  /** The value of `--timeout`, in milliseconds. */
  readonly timeoutMs?: number
}

export type Caller = 'wallet' | 'key' | 'nobody'

type ConnectContext = Pick<Context, 'arguments' | 'environment'>

const usedCallers = new WeakMap<Context['arguments'], Caller>()

/** The caller that a command used, for the advice after a failure. */
export function findUsedCaller(args: Context['arguments']): Caller | undefined {
  return usedCallers.get(args)
}

/**
 * The callers that may call an operation. An operation that takes a payment needs the paying
 * wallet, although its price is public.
 */
export function listAllowedCallers(id: OperationId): readonly Caller[] {
  const { security, billing }: Operation = operations[id]
  if (billing === 'payment') return ['wallet']
  const admits = (scheme: string) => security.some((schemes) => schemes.includes(scheme))
  return [
    ...(admits('siwx') ? (['wallet'] as const) : []),
    ...(admits('BearerAuth') ? (['key'] as const) : []),
    ...(security.some((schemes) => schemes.length === 0) ? (['nobody'] as const) : []),
  ]
}

/**
 * The SDK with a credential that the operation accepts. If both are set and accepted, the wallet is
 * used, which the service would prefer too, unless there is `--as key`. Inputs are validated before
 * anything is sent. `downloadOrigins` may be downloaded from besides the service. Throws
 * `UsageError` if a setting is missing.
 */
export async function connect(
  context: ConnectContext,
  callers: readonly Caller[],
  downloadOrigins: readonly string[] = [],
): Promise<Connection> {
  const path = context.arguments.text('config')
  const settings = await readSettings(context.environment, path)
  const service = readService(context, settings)
  const requested = readRequestedCaller(context)
  if (requested !== undefined && !callers.includes(requested)) {
    throw new UsageError(
      `--as ${requested} cannot be used with this command, which is for ${callers.map(describeCaller).join(' or ')}.`,
    )
  }
  const as = chooseCaller(settings, callers, requested)
  if (as === undefined)
    throw createCredentialError(
      callers,
      requested,
      settings,
      findSettingsPath(context.environment, path),
    )
  usedCallers.set(context.arguments, as)
  const origins =
    downloadOrigins.length === 0
      ? {}
      : { downloadOrigins: [new URL(service.baseUrl).origin, ...downloadOrigins] }
  return connectAs(as, settings, { ...service, ...origins }, context.environment)
}

/** The payments of this user, which the SDK records in the same place. */
export async function openStore(environment: Environment): Promise<PaymentStore> {
  const { defaultPaymentFolder, folderPaymentStore } = await import('@farebox/auth/node')
  return folderPaymentStore(defaultPaymentFolder(environment))
}

/** The SDK for one caller. Only a wallet loads the code that signs and pays. */
export async function connectAs(
  as: Caller,
  settings: Settings,
  service: Service & Pick<FareboxOptions, 'downloadOrigins'>,
  environment: Environment,
): Promise<Connection> {
  const common = {
    ...service,
    validation: skipEmptyInput(validation({ responses: false })),
  }
  const { baseUrl } = service
  // an empty key keeps the SDK from reading one from the environment that was not chosen here
  if (as !== 'wallet')
    return {
      farebox: createFarebox({ ...common, apiKey: as === 'key' ? (settings.apiKey ?? '') : '' }),
      baseUrl,
      as,
    }
  const [{ createSigner }, store] = await Promise.all([
    import('../settings/signer.js'),
    openStore(environment),
  ])
  const wallet = createSigner(settings.privateKey ?? '')
  const { serviceName } = settings
  const signIn = serviceName === undefined ? {} : { serviceName }
  return {
    farebox: createFarebox({ ...common, wallet, signIn, payments: { store } }),
    baseUrl,
    as,
    address: wallet.address,
  }
}

/**
 * Validates only input that a person typed. Loading the validators takes as long as a call, so they
 * are not loaded for an input without any.
 */
function skipEmptyInput(whole: Validation): Validation {
  return {
    ...whole,
    validateInput: async (id, input) => {
      if (Object.keys(input).some((name) => name !== 'walletAddress'))
        await whole.validateInput(id, input)
    },
  }
}

/** The first of the callers that has a credential. */
export function chooseCaller(
  settings: Settings,
  callers: readonly Caller[],
  requested: Caller | undefined,
): Caller | undefined {
  const isSet = {
    wallet: settings.privateKey !== undefined,
    key: settings.apiKey !== undefined,
    nobody: true,
  }
  return callers.find(
    (caller) =>
      (requested === undefined || caller === requested || caller === 'nobody') && isSet[caller],
  )
}

/** The caller of `--as`. */
export function readRequestedCaller({
  arguments: args,
}: Pick<Context, 'arguments'>): 'wallet' | 'key' | undefined {
  const requested = args.text('as')
  if (requested === undefined || requested === 'wallet' || requested === 'key') return requested
  throw new UsageError(`--as is ${JSON.stringify(requested)}; expected wallet or key.`)
}

/**
 * The service of the command line or of the settings. Throws `UsageError` for an invalid base URL
 * or time limit, and for plain HTTP to another machine without `--allow-insecure-http`.
 */
export function readService(
  { arguments: args }: Pick<Context, 'arguments'>,
  settings: Settings,
): Service {
  const baseUrl = parseBaseUrl(args.text('base-url') ?? settings.baseUrl)
  const allowInsecureHttp = args.has('allow-insecure-http') || settings.allowInsecureHttp === 'true'
  try {
    requireSecure(baseUrl, { allowInsecureHttp })
  } catch {
    throw new UsageError(
      `The base URL ${baseUrl} is plain HTTP to another machine, which exposes credentials to the network. Use https, or pass --allow-insecure-http.`,
    )
  }
  const timeoutS = args.number('timeout', 0.001)
  return {
    baseUrl,
    allowInsecureHttp,
    ...(timeoutS !== undefined && { timeoutMs: timeoutS * 1000 }),
  }
}

function parseBaseUrl(text: string | undefined): string {
  if (text === undefined) {
    throw new UsageError(
      'No service is configured. Run farebox init, or set --base-url or FAREBOX_BASE_URL. farebox serve listens at http://127.0.0.1:4020/api/v1.',
    )
  }
  try {
    return readBaseUrl(text)
  } catch (error) {
    throw error instanceof FareboxError ? new UsageError(error.message) : error
  }
}

function createCredentialError(
  callers: readonly Caller[],
  requested: Caller | undefined,
  settings: Settings,
  path: string,
): UsageError {
  const needed = callers.filter((caller) => requested === undefined || caller === requested)
  const isSetUp = settings.privateKey !== undefined || settings.apiKey !== undefined
  // farebox init writes over nothing, so it cannot add a second credential
  const ways = [
    ...(isSetUp ? [] : ['run farebox init']),
    `set ${needed.map(findSettingName).join(' or ')}`,
  ]
  const members = needed
    .map((caller) => (caller === 'wallet' ? '"privateKey"' : '"apiKey"'))
    .join(' or ')
  const advice = `${ways.join(', ')}, or add ${members} to ${path} (mode 0600)`
  return new UsageError(
    `This needs ${needed.map(describeCaller).join(' or ')}. ${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`,
  )
}

function describeCaller(caller: Caller): string {
  return { wallet: 'a wallet', key: 'an API key', nobody: 'anybody' }[caller]
}

function findSettingName(caller: Caller): string {
  return caller === 'wallet' ? 'FAREBOX_PRIVATE_KEY' : 'FAREBOX_API_KEY'
}
