import type { RequestRecord } from './log.js'

/** Something that went wrong. `time` is in milliseconds since 1970. */
export type RecentError = {
  readonly time: number
  readonly requestId?: string
  readonly operation?: string
  readonly status?: number
  readonly code?: string
  readonly upstream?: string
  readonly message?: string
}

/** The last errors of this process, in memory: as many of the service as of its callers. */
export type RecentErrors = {
  /** Keeps a response of 400 and more. */
  readonly request: (record: RequestRecord) => void
  readonly crashed: (
    error: unknown,
    context: { readonly requestId: string; readonly operation?: string },
  ) => void
  readonly troubled: (upstream: string, trouble: Error) => void
  /** Newest first. */
  readonly list: (requestId?: string) => readonly RecentError[]
}

const kept = 200

export function createRecentErrors(now: () => number): RecentErrors {
  const [own, callers]: [RecentError[], RecentError[]] = [[], []]
  const keep = (errors: RecentError[], error: Omit<RecentError, 'time'>) => {
    errors.push({ time: now(), ...error })
    if (errors.length > kept) errors.shift()
  }
  return {
    request: ({ requestId, operation, status, code }) => {
      if (status < 400) return
      const error = {
        requestId,
        ...(operation && { operation }),
        status,
        ...(code !== undefined && { code }),
      }
      // a crash is reported before its response
      const at = own.findLastIndex((one) => one.requestId === requestId)
      if (at >= 0) own[at] = { ...(own[at] ?? { time: now() }), ...error }
      else keep(status >= 500 ? own : callers, error)
    },
    crashed: (error, { requestId, operation }) =>
      keep(own, {
        requestId,
        ...(operation !== undefined && { operation }),
        message: readMessage(error),
      }),
    troubled: (upstream, trouble) => keep(own, { upstream, message: readMessage(trouble) }),
    list: (requestId) =>
      [...own, ...callers]
        .filter((one) => requestId === undefined || one.requestId === requestId)
        .sort((a, b) => b.time - a.time),
  }
}

function readMessage(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500)
}
