import { type Environment, type Context, UsageError } from '../command.js'
import { fail, pass, warn, type Finding, skip } from './finding.js'
import type { PaymentRecord } from '@farebox/auth'
import { defaultPaymentFolder, folderPaymentStore } from '@farebox/auth/node'
import { readLimitUsd } from '../calls/confirm.js'
import {
  type Caller,
  chooseCaller,
  readService,
  readRequestedCaller,
  type Service,
} from '../calls/connect.js'
import {
  hasNamedFile,
  readSettings,
  readStoredSettings,
  type Settings,
  findSettingsPath,
  variables,
} from '../settings/settings.js'

/** The oldest Node that is supported. */
const oldestNode = [20, 19] as const
/** The first releases of Node that can use the proxy variables of the environment. */
const proxyVersions = [
  [22, 21],
  [24, 0],
] as const

export function checkNode(version: string): Finding {
  if (isAtLeast(version, oldestNode)) return pass('node', `Node ${version}`)
  return fail(
    'node',
    `Node ${version}`,
    `Install Node ${oldestNode.join('.')} or later from https://nodejs.org.`,
  )
}

/**
 * Whether the proxy of the environment is used. Node ignores it unless it is enabled, and then
 * connects on its own, which a network behind a proxy does not allow.
 */
export function checkProxy(
  environment: Environment,
  baseUrl: string | undefined,
  version: string,
): Finding {
  const { protocol = 'https:', hostname = '' } = baseUrl === undefined ? {} : new URL(baseUrl)
  const names = protocol === 'http:' ? ['HTTP_PROXY', 'http_proxy'] : ['HTTPS_PROXY', 'https_proxy']
  const name = names.find((one) => (environment[one] ?? '') !== '')
  if (name === undefined) return pass('proxy', 'none is set')
  if (isLoopback(hostname)) return pass('proxy', `${name} is set, but not used for this machine`)
  if (isExcluded(environment['NO_PROXY'] ?? environment['no_proxy'] ?? '', hostname))
    return pass('proxy', `NO_PROXY excludes ${hostname} from ${name}`)
  const knows =
    isAtLeast(version, proxyVersions[1]) ||
    (isAtLeast(version, proxyVersions[0]) && version.startsWith('22.'))
  if (knows && environment['NODE_USE_ENV_PROXY'] === '1') return pass('proxy', `${name} is used`)
  const advice = knows
    ? 'Set NODE_USE_ENV_PROXY=1.'
    : 'Set NODE_USE_ENV_PROXY=1 and use Node 22.21, 24 or later: older versions do not support it.'
  return warn('proxy', `${name} is set, but Node does not use it`, advice)
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [own = 0, part = 0] = version.split('.').map(Number)
  return own > major || (own === major && part >= minor)
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

function isExcluded(list: string, hostname: string): boolean {
  return list
    .split(',')
    .map((entry) => entry.trim().replace(/^\*?\./, ''))
    .some(
      (entry) =>
        entry !== '' && (entry === '*' || hostname === entry || hostname.endsWith(`.${entry}`)),
    )
}

/** What the later checks need, as far as it is available. */
export type Setup = {
  readonly findings: readonly Finding[]
  readonly settings?: Settings
  readonly service?: Service
  readonly caller?: Caller
}

/** The file, what the environment adds, the base URL and the credential. */
export async function checkConfiguration(context: Context): Promise<Setup> {
  const { environment, arguments: args } = context
  const config = args.text('config')
  const path = findSettingsPath(environment, config)
  const read = await catchUsageError(async () => ({
    stored: await readStoredSettings(path, hasNamedFile(environment, config)),
    settings: await readSettings(environment, config),
  }))
  if ('message' in read) {
    const rest = ['base URL', 'credential'].map((name) =>
      skip(name, 'the configuration cannot be read'),
    )
    return { findings: [fail('configuration', read.message), ...rest] }
  }
  const { stored, settings } = read
  const set = Object.values(variables).filter((name) => (environment[name] ?? '') !== '')
  const file =
    stored === undefined
      ? `no ${path}`
      : process.platform === 'win32'
        ? path
        : `${path}, readable only by you`
  const findings = [
    pass(
      'configuration',
      `${file}${set.length === 0 ? '' : `; from the environment: ${set.join(', ')}`}`,
    ),
  ]
  const service = await catchUsageError(async () => readService(context, settings))
  const caller = chooseCaller(settings, ['wallet', 'key'], readRequestedCaller(context))
  return {
    findings: [...findings, toServiceFinding(service), await checkCredential(settings, caller)],
    settings,
    ...('baseUrl' in service && { service }),
    ...(caller !== undefined && { caller }),
  }
}

function toServiceFinding(service: Service | { readonly message: string }): Finding {
  return 'message' in service
    ? fail('base URL', service.message)
    : pass('base URL', service.baseUrl)
}

async function checkCredential(settings: Settings, caller: Caller | undefined): Promise<Finding> {
  if (caller === undefined)
    return fail(
      'credential',
      'neither a wallet nor an API key is set',
      'Run farebox init, or set FAREBOX_API_KEY or FAREBOX_PRIVATE_KEY.',
    )
  if (caller === 'key') return pass('credential', 'an API key')
  const { createSigner } = await import('../settings/signer.js')
  const signer = await catchUsageError(async () => createSigner(settings.privateKey ?? ''))
  if ('message' in signer) return fail('credential', signer.message)
  const other = settings.apiKey === undefined ? '' : '; the API key is for --as key'
  return pass('credential', `the ${signer.kind} wallet ${signer.address}${other}`)
}

/** The value, or the message of a setting that cannot be used. */
async function catchUsageError<Value extends object>(
  read: () => Promise<Value>,
): Promise<Value | { readonly message: string }> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof UsageError) return { message: error.message }
    throw error
  }
}

/** The price above which commands ask first, and what this machine paid in the last 24 hours. */
export async function checkSpending(
  context: Context,
  settings: Settings | undefined,
  now: () => number = Date.now,
): Promise<readonly Finding[]> {
  const asks =
    settings === undefined
      ? skip('spending', 'the configuration cannot be read')
      : await checkPriceLimit(context)
  return [asks, await checkJournal(defaultPaymentFolder(context.environment), now())]
}

async function checkPriceLimit(context: Context): Promise<Finding> {
  try {
    const limit = await readLimitUsd(context)
    return pass('spending', `commands ask above ${limit} USD (confirmAboveUsd)`)
  } catch (error) {
    if (error instanceof UsageError) return fail('spending', error.message)
    throw error
  }
}

/** An update that changes nothing reads the journal as a payment would, and writes nothing. */
async function checkJournal(folder: string, now: number): Promise<Finding> {
  let records: readonly PaymentRecord[] = []
  try {
    await folderPaymentStore(folder).update((all) => (records = all))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return fail(
      'payments',
      `the journal cannot be read (${why})`,
      `No wallet pays until it can be read. Check ${folder}.`,
    )
  }
  const open = records.filter(({ state, heldUntil }) => state === 'unanswered' && heldUntil > now)
  if (open.length > 0)
    return warn(
      'payments',
      `${sumUsd(open)} USD were sent without a response, in ${folder}`,
      'farebox top-up with the same amount sends the same payment again.',
    )
  const today = records.filter(
    ({ state, signedAt }) => state === 'settled' && signedAt > now - 86_400_000,
  )
  return pass('payments', `${sumUsd(today)} USD paid in 24 hours, in ${folder}`)
}

/** The sum of amounts in atomic units of USDC, which has six decimals. */
function sumUsd(records: readonly PaymentRecord[]): string {
  const units = records.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  return String(Number(units) / 1e6)
}
