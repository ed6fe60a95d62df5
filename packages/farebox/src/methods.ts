import type { CallOptions, Operations } from '@farebox/client'
import type { OperationId } from '@farebox/types/operations'

type Result<Id extends OperationId> = Awaited<ReturnType<Operations[Id]>>

/** The data of a successful operation. */
export type Data<Id extends OperationId> = Extract<Result<Id>, { readonly data: unknown }>['data']

/** The statuses that the contract declares for an operation's failures. */
export type ErrorStatus<Id extends OperationId> = Extract<Result<Id>, { readonly error: unknown }>['status']

/** The body that the contract declares for one failure of an operation. */
export type ErrorBody<Id extends OperationId, Status> = Extract<Result<Id>, { readonly error: unknown; readonly status: Status }>['error']

/**
 * One method for each operation: it returns the data and throws `FareboxError`. The keys are those
 * of the client's own type, not a union of names, so that an editor shows the documentation of each
 * method and finds its definition.
 */
export type Methods = {
  readonly [Id in keyof Operations]: (...args: Arguments<Id>) => Promise<Data<Id>>
}

type Arguments<Id extends OperationId> =
  Parameters<Operations[Id]> extends [input: infer Input, options?: CallOptions]
    ? [input: Input, options?: CallOptions]
    : Parameters<Operations[Id]>
