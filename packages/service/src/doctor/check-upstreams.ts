import { withoutSlashes } from '../platform/upstream/without-slashes.js'
import type { Settings } from '../settings/settings.js'
import { failed, ok, skipped, type Finding, type Found } from './finding.js'
import { transportFault, type Sources } from './sources.js'

type Asked = { readonly check: string; readonly url: string; readonly apiKey?: string; readonly path: string }

/** Asks each upstream for something that is free and needs its key. */
export async function checkUpstreams(settings: Settings, sources: Pick<Sources, 'fetch'>): Promise<readonly Finding[]> {
  const { speechUpstream: speech, videoUpstream: video } = settings
  const asked: readonly Asked[] = [
    ...(speech ? [{ check: 'speech-upstream', ...speech, path: '/models' }] : []),
    ...(video ? [{ check: 'video-upstream', ...video, path: '/api_keys/rate_limits' }] : []),
  ]
  if (asked.length === 0) return [{ check: 'upstreams', ...skipped('there are none') }]
  return Promise.all(asked.map(async (one) => ({ check: one.check, ...(await checkUpstream(one, sources)) })))
}

async function checkUpstream({ check, url, apiKey, path }: Asked, { fetch: send }: Pick<Sources, 'fetch'>): Promise<Found> {
  const { host } = new URL(url)
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
  let status: number
  try {
    const response = await send(`${withoutSlashes(url)}${path}`, { headers, redirect: 'manual' })
    status = response.status
    await response.body?.cancel()
  } catch (error) {
    return failed(`${host}: ${transportFault(error)}`, `Check --${check} and the way to it.`)
  }
  if (status === 401 || status === 403) {
    const variable = `FAREBOX_${check.replace('-', '_').toUpperCase()}_KEY`
    return failed(`${host} ${apiKey === undefined ? 'asks for a key' : 'refuses the key'} (status ${status})`, `Set ${variable}.`)
  }
  if (status === 200) return ok(`${host} answers${apiKey === undefined ? '' : ' and accepts the key'}`)
  if (status === 404 || status === 405) return ok(`${host} answers; it has no ${path}, so its key was not tried`)
  return failed(`${host} has status ${status} for ${path}`, `Check --${check}: it is the URL below which the API is.`)
}
