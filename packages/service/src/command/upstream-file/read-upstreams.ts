import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { UsageError, type Environment } from '@farebox/command-line'
import { contractCatalogue, type Catalogue } from '../../domain/models/catalogue.js'
import { ConfigError, type ConfigFault, readConfig } from '../../platform/config/read-config.js'
import type { GivenUpstream } from '../../platform/upstream/upstream-settings.js'
import type { UpstreamSource } from '../settings/serve-settings.js'
import { readSecretFile, isSecret } from '../settings/values.js'
import { listModels, createUpstreamsSchema, type UpstreamEntry } from './upstreams-schema.js'

type ReadUpstreamsOptions = {
  readonly environment: Environment
  /** Contains the models that upstreams may name. Default: the catalogue of the contract. */
  readonly catalogue?: Catalogue
  readonly readFile?: (file: string) => string
  readonly readSecret?: (file: string) => string
}

/**
 * The upstreams of the flags, or of a file in JSON or YAML with the secrets that it names. Throws a
 * ConfigError with every error of the file: where it is, what was found, what was expected.
 */
export function readUpstreams(
  source: UpstreamSource,
  options: ReadUpstreamsOptions,
): readonly GivenUpstream[] {
  if ('upstreams' in source) return source.upstreams
  const { file } = source
  const {
    environment,
    catalogue = contractCatalogue,
    readFile = readText,
    readSecret = readSecretFile,
  } = options
  const { value, faultAt } = readConfig(
    file,
    readFile(file),
    createUpstreamsSchema(listModels(catalogue)),
  )
  const secrets = { environment, folder: dirname(file), readSecret }
  const faults: ConfigFault[] = []
  const upstreams = value.upstreams.map((entry, index) => {
    try {
      return toUpstream(entry, readKey(entry, secrets))
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      faults.push(faultAt(['upstreams', index, 'key'], error.message))
      return toUpstream(entry, undefined)
    }
  })
  if (faults.length > 0) throw new ConfigError(file, faults)
  return upstreams
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new ConfigError(file, [
      {
        pointer: '',
        message: `found no file that can be read (${code}), expected a file of upstreams.`,
      },
    ])
  }
}

type Secrets = {
  readonly environment: Environment
  readonly folder: string
  readonly readSecret: (file: string) => string
}

function readKey(
  { key }: UpstreamEntry,
  { environment, folder, readSecret }: Secrets,
): string | undefined {
  if (key?.file !== undefined) return readSecret(resolve(folder, key.file))
  if (key?.variable === undefined) return undefined
  const secret = environment[key.variable] ?? ''
  if (isSecret(secret)) return secret
  const found = secret === '' ? 'no value in' : 'a space or a character that no header can carry in'
  throw new UsageError(
    `found ${found} the environment variable ${key.variable}, expected a key of printable ASCII.`,
  )
}

function toUpstream(
  { key: _place, ...entry }: UpstreamEntry,
  apiKey: string | undefined,
): GivenUpstream {
  // JSON and YAML have no undefined values
  return { ...entry, ...(apiKey !== undefined && { apiKey }) } as GivenUpstream
}
