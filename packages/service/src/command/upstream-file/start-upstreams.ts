import { createUpstreams, type Upstreams } from '../../app/create-upstreams.js'
import type { Catalogue } from '../../domain/models/catalogue.js'
import { createTextParser } from '../../domain/text/text-parser.js'
import type { Log } from '../../platform/telemetry/log.js'
import type { GivenUpstream } from '../../platform/upstream/upstream-settings.js'
import type { Settings } from '../settings/settings.js'

type StartedUpstreams = {
  readonly upstreams: Upstreams
  /** Stops watching the file. The service closes the upstreams. */
  readonly close: () => void
}

/** How often the file is read, in milliseconds. */
const everyMs = 2_000

/**
 * Starts the upstreams of the flags or of a file. A file is reloaded on SIGHUP and when its content
 * changes. It is polled, because mounted files are replaced without an event. Throws a ConfigError
 * for an invalid file.
 */
export async function startUpstreams(
  { upstreams: source, filesAtOnce }: Settings,
  log: Log,
  catalogue: Catalogue,
): Promise<StartedUpstreams> {
  const options = {
    textParser: () => createTextParser(filesAtOnce === undefined ? {} : { size: filesAtOnce }),
  }
  if ('upstreams' in source)
    return { upstreams: createUpstreams(source.upstreams, options), close: () => undefined }
  const { readUpstreams } = await import('./read-upstreams.js')
  const read = () => readUpstreams(source, { environment: process.env, catalogue })
  const first = read()
  const upstreams = createUpstreams(first, options)
  const { look } = followUpstreams({ file: source.file, read, first, upstreams, log })
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

type FollowOptions = {
  readonly file: string
  /** Reads the file and its secrets, or throws. */
  readonly read: () => readonly GivenUpstream[]
  /** The upstreams at the start. */
  readonly first: readonly GivenUpstream[]
  readonly upstreams: { readonly replace: (upstreams: readonly GivenUpstream[]) => void }
  readonly log: Pick<Log, 'info' | 'trouble'>
}

/** Upstreams that follow their file. */
type UpstreamReloader = {
  /**
   * Reads the file again and replaces the upstreams if its content or a secret has changed. An
   * invalid file changes nothing and is logged once per error. With `isAsked`, the result is always
   * logged.
   */
  readonly look: (isAsked?: boolean) => void
}

export function followUpstreams({
  file,
  read,
  first,
  upstreams,
  log,
}: FollowOptions): UpstreamReloader {
  let current = JSON.stringify(first)
  let reported: string | undefined
  return {
    look: (isAsked = false) => {
      try {
        const next = read()
        const text = JSON.stringify(next)
        reported = undefined
        if (text !== current) {
          upstreams.replace(next)
          current = text
          log.info('upstreams replaced', { file, upstreams: next.length })
        } else if (isAsked) log.info('upstreams unchanged', { file, upstreams: next.length })
      } catch (error) {
        const { message } = error instanceof Error ? error : new Error(String(error))
        if (message === reported && !isAsked) return
        reported = message
        log.trouble(
          new Error(`The upstreams stay as they were: ${message.replaceAll('\n', '; ')}`),
          { file },
        )
      }
    },
  }
}
