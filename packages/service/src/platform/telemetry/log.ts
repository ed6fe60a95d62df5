import { findActiveSpan } from './spans.js'
import type { OperationId } from '@farebox/types/operations'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export const logFormats = ['json', 'text'] as const

export type LogOptions = {
  readonly level: (typeof logLevels)[number]
  readonly format: (typeof logFormats)[number]
  /** Takes one line, with its end. */
  readonly write: (line: string) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * A log without credentials, bodies, queries and requested paths. What is written in a span has its
 * `trace_id` and `span_id`.
 */
export type Log = {
  /** One line a request: `warn` for 5xx, otherwise `info`. */
  readonly request: (record: RequestRecord) => void
  readonly info: (message: string, fields?: Fields) => void
  /** A warning about an upstream: the same one at most once a minute. */
  readonly trouble: (trouble: Error, fields: Fields) => void
  /** The sending of traces or metrics began to fail, or works again. */
  readonly telemetry: (signal: string, failure?: string) => void
  /** An error that an operator has to look at. */
  readonly ledgerFault: (fault: Fields) => void
  /** A payment that differs between the ledger and its chain. */
  readonly difference: (difference: Fields) => void
  /** With the stack of the error. */
  readonly crash: (error: unknown, fields: Fields) => void
}

/** Kinds of trouble that are known. Beyond it, one may be written again too early. */
const maxTroubles = 1_000

/**
 * Counts how often a trouble occurred since it was last logged. Troubles that only differ in
 * numbers are the same, also in the files `16450` and `16489_fsm` of PostgreSQL. Undefined if that
 * was less than a minute ago, so it must not be logged now.
 */
function countTroubles(now: () => number): (trouble: string) => number | undefined {
  const known = new Map<string, { readonly at: number; more: number }>()
  return (trouble) => {
    const kind = trouble.replace(/\d+(?:_\w+)?/g, '')
    const last = known.get(kind)
    if (last && now() - last.at < 60_000) {
      last.more++
      return undefined
    }
    if (known.size === maxTroubles) known.clear()
    known.set(kind, { at: now(), more: 0 })
    return last?.more ?? 0
  }
}

type Fields = Readonly<Record<string, string | number | undefined>>

export function createLog({ level: least, format, write, now }: LogOptions): Log {
  const put = (level: (typeof logLevels)[number], message: string, fields: Fields) => {
    if (logLevels.indexOf(level) < logLevels.indexOf(least)) return
    const time = new Date(now()).toISOString()
    const { trace_id, span_id } = findActiveSpan() ?? {}
    const all = { ...fields, ...(trace_id !== undefined && { trace_id, span_id }) }
    write(
      format === 'json'
        ? `${JSON.stringify({ time, level, message, ...all })}\n`
        : `${time} ${level} ${message}${formatFields(all)}\n`,
    )
  }
  const troubles = countTroubles(now)
  return {
    request: ({ requestId, method, operation, status, code, ms, caller }) =>
      put(status >= 500 ? 'warn' : 'info', 'request', {
        requestId,
        method: method.slice(0, 20),
        operation,
        status,
        code,
        ms: Math.round(ms * 10) / 10,
        caller,
      }),
    info: (message, fields = {}) => put('info', message, fields),
    trouble: ({ message }, fields) => {
      const more = troubles(`${fields['upstream']} ${message}`)
      if (more !== undefined)
        put('warn', 'trouble', { ...fields, trouble: message, ...(more > 0 && { more }) })
    },
    telemetry: (signal, failure) =>
      failure === undefined
        ? put('info', `${signal} are sent again`, {})
        : put('warn', `${signal} are not sent`, { trouble: failure }),
    ledgerFault: (fault) => put('error', 'ledger fault', fault),
    difference: (difference) => put('error', 'reconciliation difference', difference),
    crash: (error, fields) =>
      put('error', 'crash', {
        ...fields,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
  }
}

/** `name=value`, with quotes where needed. */
function formatFields(fields: Fields): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        ` ${name}=${/^[\w.:/-]+$/.test(String(value)) ? value : JSON.stringify(value)}`,
    )
    .join('')
}

/**
 * The log record of a request whose response began. It contains nothing that the request carried.
 */
export type RequestRecord = {
  readonly requestId: string
  readonly method: string
  /** Missing for an unknown path. */
  readonly operation?: OperationId | 'download'
  readonly status: number
  /** Code of the error. */
  readonly code?: string
  /** Milliseconds from the request to the head of its response. */
  readonly ms: number
  readonly caller: 'wallet' | 'key' | 'anonymous'
}

/** Something that went wrong. `time` is in milliseconds since 1970. */
type RecentError = {
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

const maxLines = 200

export function createRecentErrors(now: () => number): RecentErrors {
  const [own, callers]: [RecentError[], RecentError[]] = [[], []]
  const keep = (errors: RecentError[], error: Omit<RecentError, 'time'>) => {
    errors.push({ time: now(), ...error })
    if (errors.length > maxLines) errors.shift()
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
