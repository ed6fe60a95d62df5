import type {
  OperatorResponse,
  OperatorOperationId,
  operatorOperations,
  OperatorRequest,
} from '../src/http/operator-api/operations.js'

type Table = typeof operatorOperations

/** The operations that the page calls, below `/operator/v1`. */
const routes = {
  listAccounts: 'GET /accounts',
  listEntries: 'GET /accounts/{account}/entries',
  findAccounts: 'GET /find',
  refundCharge: 'POST /entries/{entry}/refund',
  creditAccount: 'POST /accounts/{account}/credit',
  debitAccount: 'POST /accounts/{account}/debit',
  freezeAccount: 'POST /accounts/{account}/freeze',
  unfreezeAccount: 'POST /accounts/{account}/unfreeze',
  listDebts: 'GET /debts',
  writeOffDebt: 'POST /debts/{debt}/write-off',
  listKeys: 'GET /keys',
  createKey: 'POST /keys',
  changeKey: 'PATCH /keys/{id}',
  rotateKey: 'POST /keys/{id}/rotate',
  revokeKey: 'POST /keys/{id}/revoke',
  getMoneyFlow: 'GET /money',
  listUsage: 'GET /usage',
  listJobs: 'GET /jobs',
  listErrors: 'GET /errors',
  getAudit: 'GET /audit',
  getHealth: 'GET /health',
  listProcesses: 'GET /processes',
} as const satisfies {
  readonly [Id in OperatorOperationId]?: `${Table[Id]['method']} ${Table[Id]['path']}`
}

type RouteId = keyof typeof routes

/** A call of the operator's API. Rejects with an `ApiError` that has the sentence of the service. */
export type Call = <Id extends RouteId>(
  id: Id,
  input: OperatorRequest<Id>,
) => Promise<OperatorResponse<Id>>

/** The element of a list that an operation returns. */
export type Item<
  Id extends RouteId,
  Field extends keyof OperatorResponse<Id>,
> = OperatorResponse<Id>[Field] extends readonly (infer Element)[] ? Element : never

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Calls with the key, which only this closure keeps. */
export function createCall(key: string): Call {
  return async (id, input) => {
    const [method = '', path = ''] = routes[id].split(' ')
    const rest = new Map(
      Object.entries(input).filter(([, value]) => value !== undefined && value !== ''),
    )
    const url = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
      const value = rest.get(name)
      rest.delete(name)
      return encodeURIComponent(String(value))
    })
    const query =
      method === 'GET'
        ? new URLSearchParams(Array.from(rest, ([name, value]) => [name, String(value)])).toString()
        : ''
    const response = await fetch(`/operator/v1${url}${query && `?${query}`}`, {
      method,
      cache: 'no-store',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(method !== 'GET' && { body: JSON.stringify(Object.fromEntries(rest)) }),
    })
    const body = await response.json()
    if (!response.ok) throw new ApiError(response.status, body.error)
    return body
  }
}
