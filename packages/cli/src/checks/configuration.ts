import type { Context } from '../command.js'
import {
  requestedCaller,
  chooseCaller,
  readService,
  type Caller,
  type Service,
} from '../connect.js'
import { UsageError } from '../errors.js'
import {
  isNamed,
  readSettings,
  readStoredSettings,
  settingsPath,
  variables,
  type Settings,
} from '../settings.js'
import { failed, ok, skipped, type Finding } from './finding.js'

/** What the later checks work with, as far as it is there. */
export type Setup = {
  readonly findings: readonly Finding[]
  readonly settings?: Settings
  readonly service?: Service
  readonly caller?: Caller
}

/** The file, what the environment adds, the base URL and the credential. */
export async function configuration(context: Context): Promise<Setup> {
  const { environment, arguments: given } = context
  const config = given.text('config')
  const path = settingsPath(environment, config)
  const read = await attempt(async () => ({
    stored: await readStoredSettings(path, isNamed(environment, config)),
    settings: await readSettings(environment, config),
  }))
  if ('message' in read) {
    const rest = ['base URL', 'credential'].map((name) =>
      skipped(name, 'the configuration cannot be read'),
    )
    return { findings: [failed('configuration', read.message), ...rest] }
  }
  const { stored, settings } = read
  const set = Object.values(variables).filter((name) => (environment[name] ?? '') !== '')
  const file =
    stored === undefined
      ? `no ${path}`
      : process.platform === 'win32'
        ? path
        : `${path}, readable by you alone`
  const findings = [
    ok(
      'configuration',
      `${file}${set.length === 0 ? '' : `; from the environment: ${set.join(', ')}`}`,
    ),
  ]
  const service = await attempt(async () => readService(context, settings))
  const caller = chooseCaller(settings, ['wallet', 'key'], requestedCaller(context))
  return {
    findings: [...findings, serviceFinding(service), await credential(settings, caller)],
    settings,
    ...('baseUrl' in service && { service }),
    ...(caller !== undefined && { caller }),
  }
}

function serviceFinding(service: Service | { readonly message: string }): Finding {
  return 'message' in service
    ? failed('base URL', service.message)
    : ok('base URL', service.baseUrl)
}

async function credential(settings: Settings, caller: Caller | undefined): Promise<Finding> {
  if (caller === undefined)
    return failed(
      'credential',
      'neither a wallet nor an API key is set',
      'Run farebox init, or set FAREBOX_API_KEY or FAREBOX_PRIVATE_KEY.',
    )
  if (caller === 'key') return ok('credential', 'an API key')
  const { createSigner } = await import('../signer.js')
  const signer = await attempt(async () => createSigner(settings.privateKey ?? ''))
  if ('message' in signer) return failed('credential', signer.message)
  const other = settings.apiKey === undefined ? '' : '; the API key is for --as key'
  return ok('credential', `the ${signer.kind} wallet ${signer.address}${other}`)
}

/** The value, or the message of a setting that cannot be used. */
async function attempt<Value extends object>(
  read: () => Promise<Value>,
): Promise<Value | { readonly message: string }> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof UsageError) return { message: error.message }
    throw error
  }
}
