import { UsageError } from '@farebox/command-line'
import type { GivenUpstream } from '../../platform/upstream/upstream-defaults.js'
import type { SecretName } from './program.js'
import type { Value } from './secret-settings.js'

/** A file of upstreams, which is followed, or those of the flags. */
export type UpstreamSource = { readonly file: string } | { readonly given: readonly GivenUpstream[] }

/** The flags stand for a file with one upstream of each capability that they name. */
export function upstreamsOf(value: Value, secret: (name: SecretName) => string | undefined): UpstreamSource {
  const file = value('upstreams')
  const given = [
    ...upstreamOf('speech', value('speech-upstream'), secret('speech-upstream-key')),
    ...upstreamOf('video', value('video-upstream'), secret('video-upstream-key')),
  ]
  if (file === undefined) return { given }
  const [other] = given
  if (other === undefined) return { file }
  throw new UsageError(
    `--upstreams: found --${other.capability}-upstream as well, expected one of them. Write that upstream into ${file}, and leave the flag and its variable out.`,
  )
}

function upstreamOf(capability: 'speech' | 'video', text: string | undefined, apiKey: string | undefined): readonly GivenUpstream[] {
  if (text === undefined && apiKey === undefined) return []
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '')
    return [{ name: capability, capability, url: url.href, ...(apiKey !== undefined && { apiKey }) }]
  throw new UsageError(
    `--${capability}-upstream: found ${text === undefined ? 'only its key' : 'no URL that can be called'}, expected one like https://${capability}.example/v1, without a user, a query or a fragment.`,
  )
}
