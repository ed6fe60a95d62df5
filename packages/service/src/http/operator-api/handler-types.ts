import type { KeyAdministration } from '../../domain/accounts/key-administration.js'
import type { KeyUses } from '../../domain/accounts/key-records.js'
import type { Ledger } from '../../domain/ledger/ledger.js'
import type { Database } from '../../platform/database/database.js'
import type { ProcessReports } from './process-reports.js'
import type { OperatorResponse, OperatorInput, OperatorOperationId } from './operations.js'

/** What the handlers of the operator's API read and change. */
export type OperatorSources = {
  readonly database: Database
  readonly ledger: Pick<
    Ledger,
    'entries' | 'audit' | 'openKeyAccount' | 'refundCharge' | 'grant' | 'debit' | 'writeOff'
  >
  readonly keys: KeyAdministration
  readonly uses: Pick<KeyUses, 'flush'>
  readonly reports: Pick<ProcessReports, 'describe' | 'list' | 'listErrors'>
  readonly allowsChanges: boolean
  readonly now: () => number
}

export type OperatorHandlers = {
  readonly [Id in OperatorOperationId]: (input: OperatorInput<Id>) => Promise<OperatorResponse<Id>>
}

/** An error response of the operator's API. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: string,
    message: string,
    headers: OperatorError['headers'] = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

export function notFound(what: string): OperatorError {
  return new OperatorError(404, 'NOT_FOUND', `There is no ${what}.`)
}

export function invalidInput(message: string): OperatorError {
  return new OperatorError(400, 'INVALID_INPUT', message)
}
