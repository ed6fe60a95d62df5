import { inOpenSpan } from '../platform/telemetry/spans.js'
import type { Metrics } from '../platform/telemetry/metrics.js'
import type { Telemetry } from '../platform/telemetry/telemetry.js'

/** Makes work of upkeep show when it last succeeded, and a trace of each time that it is done. */
export type UpkeepRounds = (task: 'release' | 'purge' | 'audit' | 'key-uses', work: () => Promise<void>) => () => Promise<void>

export function createUpkeepRounds(metrics: Pick<Metrics, 'reading'>, telemetry: Telemetry | undefined, now: () => number): UpkeepRounds {
  const succeededAt = new Map<string, number>()
  metrics.reading(
    'farebox_upkeep_success_timestamp_seconds',
    'gauge',
    'When this process last did its upkeep, by task, in Unix seconds.',
    () => [...succeededAt].map(([task, at]) => ({ labels: { task }, value: at / 1000 })),
  )
  return (task, work) => {
    // a task that never succeeds is late from the start on
    succeededAt.set(task, now())
    return async () => {
      const span = telemetry?.startSpan({ name: `upkeep ${task}` })
      await (span === undefined ? work() : inOpenSpan(span, work))
      succeededAt.set(task, now())
    }
  }
}
