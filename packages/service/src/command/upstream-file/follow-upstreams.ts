import type { Log } from '../../platform/telemetry/log.js'
import type { GivenUpstream } from '../../platform/upstream/upstream-defaults.js'

export type FollowOptions = {
  readonly file: string
  /** Reads the file and its secrets, or throws. */
  readonly read: () => readonly GivenUpstream[]
  /** What was read at the start. */
  readonly first: readonly GivenUpstream[]
  readonly upstreams: { readonly replace: (upstreams: readonly GivenUpstream[]) => void }
  readonly log: Pick<Log, 'info' | 'trouble'>
}

/** Upstreams that follow their file. */
export type Followed = {
  /**
   * Reads the file again, and replaces the upstreams if its content or a secret has changed. A file
   * that is invalid changes nothing, and is one record of the log, however often it is read. With
   * `isAsked`, there is a record in any case.
   */
  readonly look: (isAsked?: boolean) => void
}

export function followUpstreams({ file, read, first, upstreams, log }: FollowOptions): Followed {
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
