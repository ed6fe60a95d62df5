import { constants } from 'node:os'
import type { Log } from '../platform/telemetry/log.js'
import { sleep } from '../platform/sleep.js'

type Stop = {
  /** How long balancers have to notice. */
  readonly drainMs: number
  /** What tells them. */
  readonly drain: readonly (() => void)[]
  readonly log: Pick<Log, 'info'>
}

const signals = ['SIGTERM', 'SIGINT'] as const

/**
 * Resolves once the service has to accept no more: after a signal and the time to drain. Ctrl-C
 * does not drain, as a person waits for it. A second signal ends the process at once.
 */
export async function stopped({ drainMs, drain, log }: Stop): Promise<void> {
  const signal = await next()
  void next().then((second) => {
    log.info('ended by a second signal', { signal: second })
    process.exit(128 + constants.signals[second])
  })
  const waitMs = signal === 'SIGTERM' ? drainMs : 0
  log.info('stopping', { signal, drainSeconds: waitMs / 1000 })
  for (const begin of drain) begin()
  if (waitMs === 0) return
  await sleep(waitMs)
  log.info('drained')
}

function next(): Promise<(typeof signals)[number]> {
  return new Promise((resolve) => {
    const end = (signal: (typeof signals)[number]) => {
      for (const one of signals) process.off(one, end)
      resolve(signal)
    }
    for (const one of signals) process.on(one, end)
  })
}
