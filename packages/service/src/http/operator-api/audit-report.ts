import type { Ledger } from '../../domain/ledger/ledger.js'

/** An audit reads every entry, so its result is kept this long. */
const keptMs = 60_000

export type AuditReport = {
  readonly checkedAt: string
  readonly consistent: boolean
  readonly faults: { readonly account: string; readonly fault: string }[]
}

/** Runs one audit at a time, at most once a minute. */
export function createAuditReport({ audit }: Pick<Ledger, 'audit'>, now: () => number): () => Promise<AuditReport> {
  let last: { readonly at: number; readonly report: AuditReport } | undefined
  let running: Promise<AuditReport> | undefined
  const run = async () => {
    const at = now()
    const faults = (await audit()).map(({ account, fault }) => ({ account, fault }))
    const report = { checkedAt: new Date(at).toISOString(), consistent: faults.length === 0, faults }
    last = { at, report }
    return report
  }
  return async () => {
    if (last && now() - last.at < keptMs) return last.report
    return (running ??= run().finally(() => {
      running = undefined
    }))
  }
}
