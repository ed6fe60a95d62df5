import { UsageError, type Environment } from '@farebox/command-line'
import { contractCatalogue } from '../../domain/models/catalogue.js'
import { readCatalogue } from '../../domain/models/read-catalogue.js'
import { discard } from '../../platform/bounded-body.js'
import {
  supportedFormats,
  withDefaults,
  type GivenUpstream,
} from '../../platform/upstream/upstream-defaults.js'
import type { UpstreamSettings } from '../../platform/upstream/upstream-settings.js'
import { withoutSlashes } from '../../platform/upstream/without-slashes.js'
import type { Settings } from '../settings/settings.js'
import { readUpstreams } from '../upstream-file/read-upstreams.js'
import { failed, ok, skipped, type Finding, type Found } from './finding.js'
import { transportFault, type Sources } from './sources.js'

type Asked = GivenUpstream & {
  readonly check: string
  /** Where its settings are. */
  readonly place: string
  /** Where its key is. */
  readonly keyPlace: string
}

/** Asks each upstream for something that is free and needs its key. */
export async function checkUpstreams(
  settings: Settings,
  environment: Environment,
  sources: Pick<Sources, 'fetch'>,
): Promise<readonly Finding[]> {
  try {
    const asked = listUpstreams(settings, environment)
    if (asked.length === 0) return [{ check: 'upstreams', ...skipped('there are none') }]
    return await Promise.all(
      asked.map(async (one) => ({ check: one.check, ...(await checkUpstream(one, sources)) })),
    )
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return [{ check: 'upstreams', ...failed(error.message, 'The service does not start with it.') }]
  }
}

function listUpstreams(
  { upstreams: source, catalogue }: Settings,
  environment: Environment,
): readonly Asked[] {
  if ('given' in source) {
    return source.given.map((one) => {
      const check = `${one.capability}-upstream`
      const variable = `FAREBOX_${check.replace('-', '_').toUpperCase()}_KEY`
      return { ...one, check, place: `--${check}`, keyPlace: variable }
    })
  }
  const { file } = source
  const models = catalogue === undefined ? contractCatalogue : readCatalogue(catalogue)
  return readUpstreams(file, { environment, catalogue: models }).map((one) => {
    const place = `"${one.name}" in ${file}`
    return { ...one, check: `upstream ${one.name}`, place, keyPlace: `the key of ${place}` }
  })
}

/**
 * What the upstreams are, with their defaults. None where the file cannot be read, which is a
 * finding of `checkUpstreams`.
 */
export function settingsOfUpstreams(
  settings: Settings,
  environment: Environment,
): readonly UpstreamSettings[] {
  try {
    return listUpstreams(settings, environment).map(withDefaults)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return []
  }
}

async function checkUpstream(
  { url, apiKey, place, keyPlace, ...upstream }: Asked,
  { fetch: send }: Pick<Sources, 'fetch'>,
): Promise<Found> {
  const { host } = new URL(url)
  const path = freePath(upstream)
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
  let status: number
  try {
    const response = await send(`${withoutSlashes(url)}${path}`, { headers, redirect: 'manual' })
    status = response.status
    await discard(response)
  } catch (error) {
    return failed(`${host}: ${transportFault(error)}`, `Check ${place} and the way to it.`)
  }
  if (status === 401 || status === 403)
    return failed(
      `${host} ${apiKey === undefined ? 'asks for a key' : 'refuses the key'} (status ${status})`,
      `Set ${keyPlace}.`,
    )
  if (status === 200)
    return ok(`${host} answers${apiKey === undefined ? '' : ' and accepts the key'}`)
  if (status === 404 || status === 405)
    return ok(`${host} answers; it has no ${path}, so its key was not tried`)
  return failed(
    `${host} has status ${status} for ${path}`,
    `Check ${place}: its URL is the one below which the API is.`,
  )
}

function freePath({
  capability,
  format = supportedFormats[capability][0],
}: Pick<GivenUpstream, 'capability' | 'format'>): string {
  return format === 'openai' ? '/models' : '/api_keys/rate_limits'
}
