import type * as z from 'zod'
import type { Database } from '../../platform/database/database.js'
import type { RecentErrors } from '../../platform/telemetry/log.js'
import type { Metrics } from '../../platform/telemetry/metrics.js'
import type { Readiness } from '../../platform/telemetry/readiness.js'
import type { errorRecord, processReport } from './schemas.js'

type ProcessReport = z.infer<typeof processReport>
type ReportedError = z.infer<typeof errorRecord>

type ReportSources = {
  readonly database: Database
  readonly processId: string
  /** Names the process for the operator, such as `gateway-1 4711`. */
  readonly process: string
  readonly startedAt: number
  readonly ready: () => Promise<Readiness>
  readonly metrics: Pick<Metrics, 'print'>
  readonly errors: Pick<RecentErrors, 'list'>
  readonly now: () => number
}

/** What processes that share a database tell the operator of each other. */
export type ProcessReports = {
  readonly describe: () => Promise<ProcessReport>
  /** Writes the report of this process beside its lease. */
  readonly publish: () => Promise<void>
  /** The reports of all processes that are alive; that of this process is of now. */
  readonly list: () => Promise<ProcessReport[]>
  /** The last errors of all processes that are alive, newest first. */
  readonly listErrors: (requestId?: string) => Promise<ReportedError[]>
}

/** How often a process publishes its report, in milliseconds. */
export const reportEveryMs = 20_000

/** How many errors a report has. */
const maxErrors = 100

type StoredReport = { readonly report: ProcessReport; readonly errors: readonly ReportedError[] }

export function createProcessReports(sources: ReportSources): ProcessReports {
  const { database, processId, process, startedAt, ready, metrics, errors, now } = sources

  const describe = async (): Promise<ProcessReport> => {
    const [readiness, printed] = await Promise.all([ready(), metrics.print()])
    return {
      id: processId,
      process,
      startedAt: new Date(startedAt).toISOString(),
      reportedAt: new Date(now()).toISOString(),
      ready: readiness.ready,
      checks: { ...readiness.checks },
      ...summarizeLoad(parseSamples(printed, /^farebox_(?:backend|upstream)_/)),
    }
  }

  const ownErrors = (requestId?: string): ReportedError[] =>
    errors.list(requestId).map(({ time, ...error }) => ({
      time: new Date(time).toISOString(),
      process,
      ...error,
    }))

  const readOthers = async (): Promise<readonly StoredReport[]> => {
    const rows = await database.query<{ report: StoredReport }>(
      `select report from process where id <> $1 and report is not null and alive_until > now()`,
      [processId],
    )
    return rows.map(({ report }) => report)
  }

  return {
    describe,
    publish: async () => {
      const stored: StoredReport = {
        report: await describe(),
        errors: ownErrors().slice(0, maxErrors),
      }
      await database.query(`update process set report = $2::jsonb where id = $1`, [
        processId,
        JSON.stringify(stored),
      ])
    },
    list: async () => {
      const [own, others] = await Promise.all([describe(), readOthers()])
      return [own, ...others.map(({ report }) => report)].sort((a, b) =>
        compare(a.process, b.process),
      )
    },
    listErrors: async (requestId) => {
      const others = (await readOthers()).flatMap((other) => other.errors)
      return [
        ...ownErrors(requestId),
        ...others.filter((error) => requestId === undefined || error.requestId === requestId),
      ].sort((a, b) => compare(b.time, a.time))
    },
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export type Sample = {
  readonly name: string
  readonly labels: Record<string, string>
  readonly value: number
}

/** Calls, durations and states by backend and by upstream. */
function summarizeLoad(
  samples: readonly Sample[],
): Pick<ProcessReport, 'backends' | 'upstreams' | 'troubles'> {
  const named = (name: string) => samples.filter((sample) => sample.name === `farebox_${name}`)
  const summarize = (kind: 'backend' | 'upstream', labels: Sample['labels']) => {
    const read = (name: string) =>
      named(`${kind}_${name}`).filter((sample) =>
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
      )
    const sum = (name: string) => read(name).reduce((total, { value }) => total + value, 0)
    const count = sum('duration_seconds_count')
    return {
      read: sum,
      load: {
        outcomes: Object.fromEntries(
          read('calls_total').map((sample) => [sample.labels['outcome'] ?? '', sample.value]),
        ),
        meanSeconds: count > 0 ? sum('duration_seconds_sum') / count : null,
      },
    }
  }
  const backends = new Set(
    named('backend_calls_total').map(({ labels }) => labels['backend'] ?? ''),
  )
  return {
    backends: Array.from(backends, (backend) => ({
      backend,
      ...summarize('backend', { backend }).load,
    })),
    upstreams: named('upstream_in_flight').map(({ labels, value }) => {
      const { capability = '', upstream = '' } = labels
      const { read, load } = summarize('upstream', { capability, upstream })
      const circuit = read('circuit_open')
      return {
        capability,
        upstream,
        state:
          circuit === 1
            ? ('circuit-open' as const)
            : circuit > 0
              ? ('circuit-half-open' as const)
              : read('healthy') === 0
                ? ('unhealthy' as const)
                : ('ok' as const),
        inFlight: value,
        ...load,
      }
    }),
    troubles: Object.fromEntries(
      named('upstream_troubles_total').map(({ labels, value }) => [
        labels['upstream'] ?? '',
        value,
      ]),
    ),
  }
}

/** The samples with matching names in a page of our own metrics (Prometheus text format 0.0.4). */
export function parseSamples(printed: string, names: RegExp): Sample[] {
  return printed.split('\n').flatMap((line) => {
    const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    return names.test(name) ? [{ name, labels: parseLabels(labels), value: Number(value) }] : []
  })
}

function parseLabels(text: string): Record<string, string> {
  const pairs = text.matchAll(/(?:^|,)(\w+)="((?:[^"\\]|\\.)*)"/g)
  return Object.fromEntries(
    Array.from(pairs, ([, name = '', value = '']) => [
      name,
      value.replaceAll(/\\(.)/g, (_match, character) => (character === 'n' ? '\n' : character)),
    ]),
  )
}
