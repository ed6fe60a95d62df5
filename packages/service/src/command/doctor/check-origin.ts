import { isLoopback } from '../../platform/is-loopback.js'
import { isRecord } from '../../platform/is-record.js'
import type { Settings } from '../settings/settings.js'
import { failed, ok, skipped, warning, type Found } from './finding.js'
import { transportFault, type Sources } from './sources.js'

/** Whether the public origin leads to this service, over TLS. */
export async function checkOrigin(
  { origin, databaseUrl }: Settings,
  { fetch: send }: Pick<Sources, 'fetch'>,
): Promise<Found> {
  if (origin === undefined) {
    if (databaseUrl === undefined)
      return skipped('no --origin: this machine alone calls the service')
    return failed(
      'there is no --origin',
      'Give all processes the public origin of their balancer, which sign-in messages name.',
    )
  }
  let document: unknown
  try {
    const response = await send(`${origin}/openapi.json`, { redirect: 'manual' })
    document = response.status === 200 ? await response.json() : undefined
    if (response.status !== 200)
      return failed(
        `${origin}/openapi.json has status ${response.status}`,
        'Let the proxy pass every path to the service, unchanged.',
      )
  } catch (error) {
    const why = error instanceof SyntaxError ? 'something else answers' : transportFault(error)
    if (why === 'ECONNREFUSED')
      return warning(
        `nothing listens at ${origin}`,
        'Start the service, or the proxy in front of it.',
      )
    return failed(`${origin}: ${why}`, 'Check the name, the certificate and the proxy.')
  }
  const said = readServerUrl(document)
  if (said !== `${origin}/api/v1`)
    return failed(
      `the service there says ${said ?? 'nothing of its origin'}`,
      `Give it --origin ${origin}: it refuses the sign-ins of clients.`,
    )
  if (new URL(origin).protocol === 'https:' || isLoopback(new URL(origin).hostname))
    return ok(`${origin} leads to the service`)
  return failed(
    `${origin} has no TLS`,
    'Put a proxy with a certificate in front: keys and sign-ins can be read on the way.',
  )
}

function readServerUrl(document: unknown): string | undefined {
  const servers =
    isRecord(document) && Array.isArray(document['servers'])
      ? (document['servers'] as unknown[])
      : []
  const url = isRecord(servers[0]) ? servers[0]['url'] : undefined
  return typeof url === 'string' ? url.slice(0, 200) : undefined
}
