import type { KeyAdministration } from '../../domain/accounts/key-administration.js'
import type { KeyUses } from '../../domain/accounts/key-usage.js'
import type { Ledger } from '../../domain/ledger/ledger.js'
import type { Database } from '../../platform/database/database.js'
import type { Metrics } from '../../platform/telemetry/metrics.js'
import type { Readiness } from '../../platform/telemetry/readiness.js'
import type { RecentErrors } from '../../platform/telemetry/recent-errors.js'
import type { OperatorAnswer, OperatorInput, OperatorOperationId } from './operations.js'

/** What the handlers of the operator's API read and change. */
export type OperatorSources = {
  readonly database: Database
  readonly ledger: Pick<
    Ledger,
    'entries' | 'audit' | 'openKeyAccount' | 'refundCharge' | 'grant' | 'debit'
  >
  readonly keys: KeyAdministration
  readonly uses: Pick<KeyUses, 'flush'>
  readonly errors: Pick<RecentErrors, 'list'>
  readonly ready: () => Promise<Readiness>
  readonly metrics: Pick<Metrics, 'print'>
  readonly allowsChanges: boolean
  readonly now: () => number
}

export type OperatorHandlers = {
  readonly [Id in OperatorOperationId]: (input: OperatorInput<Id>) => Promise<OperatorAnswer<Id>>
}
