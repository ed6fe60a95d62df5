import type { ListModelsInput } from '@farebox/client'
import { type Farebox, FareboxError } from 'farebox'
import { randomUUID } from 'node:crypto'
import { type Context, UsageError } from '../command.js'

/** The options of a call that costs credit. */
type PaidCall = {
  readonly idempotencyKey: string
  readonly options: { readonly signal: AbortSignal; readonly idempotencyKey: string }
}

/**
 * The user's Idempotency-Key, or a new one that an error message names, so that the call can be
 * repeated without paying twice.
 */
export function createPaidCall({ arguments: args, signal }: Context): PaidCall {
  const idempotencyKey = args.text('idempotency-key') ?? `farebox-${randomUUID()}`
  return { idempotencyKey, options: { signal, idempotencyKey } }
}

const repeatKeys = new WeakMap<FareboxError, string>()

/** Keeps the Idempotency-Key of a paid call with an unknown outcome, for the advice. */
export async function rememberRepeatKey<Result>(
  idempotencyKey: string,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof FareboxError && error.mayHaveArrived) repeatKeys.set(error, idempotencyKey)
    throw error
  }
}

/** The key that asks for the same work again free of charge. */
export function findRepeatKey(error: FareboxError): string | undefined {
  return repeatKeys.get(error)
}

/** `--model`, else the first model of a type that the service can call. */
export async function chooseModel(
  { arguments: args, signal }: Context,
  farebox: Farebox,
  type: NonNullable<ListModelsInput['type']>,
): Promise<string> {
  const model = args.text('model')
  if (model !== undefined) return model
  const [first] = await farebox.listModels({ type }, { signal })
  if (first) return first.id
  throw new UsageError(
    `The service has no model of type ${type}. farebox models lists those that it has.`,
  )
}
