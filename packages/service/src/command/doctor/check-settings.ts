import { UsageError, type Arguments, type Environment } from '@farebox/command-line'
import { readCatalogue } from '../../domain/models/read-catalogue.js'
import { ConfigError } from '../../platform/config/read-config.js'
import { program, type FlagName, type SecretName } from '../settings/program.js'
import { readSecretFile } from '../settings/secrets.js'
import { readSettings, type Settings } from '../settings/settings.js'
import { failed, ok, skipped, type Finding } from './finding.js'

/** Long enough for each secret, where its file cannot be read. */
const placeholder = 'x'.repeat(32)

/** Reads the settings as `serve` does. Without them, the other checks have nothing to look at. */
export function checkSettings(
  given: Arguments<FlagName>,
  environment: Environment,
): { readonly settings: Settings | undefined; readonly findings: readonly Finding[] } {
  const faults: string[] = []
  const files = program.flags.flatMap(({ name }) => {
    const file = isSecretFile(name) ? given.text(name) : undefined
    return file === undefined || file === '' ? [] : [file]
  })
  for (const file of files) collect(faults, () => readSecretFile(file))
  const secrets: Finding =
    faults.length > 0
      ? { check: 'secrets', ...failed(faults.join(' '), 'Mend the files.') }
      : {
          check: 'secrets',
          ...(files.length === 0
            ? skipped('no secret is in a file')
            : ok(`${files.length} files, for this user alone`)),
        }
  const faultsOfSettings: string[] = []
  const settings = collect(faultsOfSettings, () =>
    readSettings(given, environment, (file) =>
      faults.length > 0 ? placeholder : readSecretFile(file),
    ),
  )
  const read: Finding =
    settings === undefined
      ? {
          check: 'settings',
          ...failed(faultsOfSettings.join(' '), `${program.name} --help has all options.`),
        }
      : { check: 'settings', ...ok('they can be read') }
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
export function checkCatalogue({ catalogue: file }: Settings): readonly Finding[] {
  if (file === undefined) return []
  try {
    readCatalogue(file)
    return [{ check: 'catalogue', ...ok(`${file} agrees with the contract`) }]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [
      {
        check: 'catalogue',
        ...failed(error.message, 'farebox-service catalogue prints one that is right.'),
      },
    ]
  }
}
