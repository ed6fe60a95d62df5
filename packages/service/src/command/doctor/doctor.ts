import { type Arguments, type Environment, UsageError } from '@farebox/command-line'
import { waitForFolder } from '../../platform/database/folder-socket.js'
import { describeError, StorageError } from '../../platform/database/storage-error.js'
import { type FlagName, program, type SecretName } from '../settings/program.js'
import { type Settings, readSettings } from '../settings/settings.js'
import { checkFacilitator, checkOrigin, checkUpstreams } from './check-peers.js'
import { checkDatabase, checkFolder, checkSpace } from './check-storage.js'
import { fail, type Finding, realSources, type Sources, pass, skip } from './finding.js'
import { readCatalogue } from '../../domain/models/read-catalogue.js'
import { ConfigError } from '../../platform/config/read-config.js'
import { readSecretFile } from '../settings/values.js'

/**
 * Checks everything that the service needs, without changing anything, and prints one line per
 * check. Resolves to 1 if one failed. Never prints a secret.
 */
export async function doctor(
  args: Arguments<FlagName>,
  environment: Environment,
  out: (line: string) => void,
  sources = realSources,
): Promise<number> {
  const findings = await examine(args, environment, sources)
  const isWell = findings.every(({ mark }) => mark !== 'failed')
  if (args.has('json')) out(JSON.stringify({ ok: isWell, checks: findings }, undefined, 2))
  else for (const finding of findings) out(formatFinding(finding))
  return isWell ? 0 : 1
}

async function examine(
  args: Arguments<FlagName>,
  environment: Environment,
  sources: Sources,
): Promise<readonly Finding[]> {
  const { settings, findings } = checkSettings(args, environment)
  if (settings === undefined) return findings
  const others = [
    catchCrash('data-folder', async () => checkStorage(settings, sources)),
    catchCrash('origin', async () => [
      { check: 'origin', ...(await checkOrigin(settings, sources)) },
    ]),
    catchCrash('catalogue', async () => checkCatalogue(settings)),
    catchCrash('upstreams', () => checkUpstreams(settings, environment, sources)),
    catchCrash('facilitator', () => checkFacilitator(settings, environment, sources)),
  ]
  return [...findings, ...(await Promise.all(others)).flat()]
}

async function checkStorage(settings: Settings, sources: Sources): Promise<readonly Finding[]> {
  try {
    if (settings.databaseUrl === undefined) await waitForFolder(settings.data)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    return [{ check: 'data-folder', ...fail(error.message, 'The service does not start on it.') }]
  }
  const folder = checkFolder(settings)
  const found: readonly Finding[] = [{ check: 'data-folder', ...folder }]
  if (folder.mark === 'failed') return found
  const database = catchCrash('database', () => checkDatabase(settings, sources))
  return [...found, { check: 'free-space', ...checkSpace(settings) }, ...(await database)]
}

/** A check that crashes is a finding too. */
async function catchCrash(
  check: string,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look()
  } catch (error) {
    return [{ check, ...fail(describeError(error), 'Run it again, and report it if it persists.') }]
  }
}

const widest = 'facilitator-clock'.length

function formatFinding({ check, mark, found, advice }: Finding): string {
  return `${mark.padEnd('skipped'.length)}  ${check.padEnd(widest)}  ${found}${advice === undefined ? '' : ` -> ${advice}`}`
}

/** Replaces a secret whose file cannot be read. Long enough for each of them. */
const placeholder = 'x'.repeat(32)

/** Reads the settings like `serve`. The other checks need them. */
function checkSettings(
  args: Arguments<FlagName>,
  environment: Environment,
): { readonly settings: Settings | undefined; readonly findings: readonly Finding[] } {
  const faults: string[] = []
  const files = program.flags.flatMap(({ name }) => {
    const file = isSecretFile(name) ? args.text(name) : undefined
    return file === undefined || file === '' ? [] : [file]
  })
  for (const file of files) collect(faults, () => readSecretFile(file))
  const secrets: Finding =
    faults.length > 0
      ? { check: 'secrets', ...fail(faults.join(' '), 'Fix the files.') }
      : {
          check: 'secrets',
          ...(files.length === 0
            ? skip('no secret is in a file')
            : pass(`${files.length} files, readable only by this user`)),
        }
  const faultsOfSettings: string[] = []
  const settings = collect(faultsOfSettings, () =>
    readSettings(args, environment, (file) =>
      faults.length > 0 ? placeholder : readSecretFile(file),
    ),
  )
  const read: Finding =
    settings === undefined
      ? {
          check: 'settings',
          ...fail(faultsOfSettings.join(' '), `${program.name} --help has all options.`),
        }
      : { check: 'settings', ...pass('they can be read') }
  return { settings: faults.length > 0 ? undefined : settings, findings: [read, secrets] }
}

function isSecretFile(name: string): name is `${SecretName}-file` {
  return name.endsWith('-file')
}

function collect<T>(faults: string[], read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    faults.push(error.message)
    return undefined
  }
}

/** Reads the file of the catalogue, if there is one. */
function checkCatalogue({ catalogue: file }: Settings): readonly Finding[] {
  if (file === undefined) return []
  try {
    readCatalogue(file)
    return [{ check: 'catalogue', ...pass(`${file} agrees with the contract`) }]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [
      {
        check: 'catalogue',
        ...fail(error.message, 'farebox-service catalogue prints one that is right.'),
      },
    ]
  }
}
