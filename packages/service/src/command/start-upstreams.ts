import { createUpstreams, type Upstreams } from '../app/create-upstreams.js'
import type { Catalogue } from '../domain/models/catalogue.js'
import { createTextParser } from '../domain/text/text-parser.js'
import type { Log } from '../platform/telemetry/log.js'
import type { Settings } from './settings/settings.js'
import { followUpstreams } from './upstream-file/follow-upstreams.js'

export type StartedUpstreams = {
  readonly upstreams: Upstreams
  /** Follows the file no longer. The service closes the upstreams. */
  readonly close: () => void
}

/** How often the file is looked at, in milliseconds. */
const everyMs = 2_000

/**
 * The upstreams of the flags or of a file. A file is read again at SIGHUP and when its content
 * changes, by looks at it, since a mounted file is replaced in ways that no event tells of. Throws
 * a ConfigError for an invalid file.
 */
export async function startUpstreams(
  { upstreams: source, filesAtOnce }: Settings,
  log: Log,
  catalogue: Catalogue,
): Promise<StartedUpstreams> {
  const options = {
    textParser: () => createTextParser(filesAtOnce === undefined ? {} : { size: filesAtOnce }),
  }
  if ('given' in source)
    return { upstreams: createUpstreams(source.given, options), close: () => undefined }
  const { file } = source
  const { readUpstreams } = await import('./upstream-file/read-upstreams.js')
  const read = () => readUpstreams(file, { environment: process.env, catalogue })
  const first = read()
  const upstreams = createUpstreams(first, options)
  const { look } = followUpstreams({ file, read, first, upstreams, log })
  const timer = setInterval(look, everyMs)
  timer.unref()
  const asked = () => look(true)
  process.on('SIGHUP', asked)
  return {
    upstreams,
    close: () => {
      clearInterval(timer)
      process.off('SIGHUP', asked)
    },
  }
}
