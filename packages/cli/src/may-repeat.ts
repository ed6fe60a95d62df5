import { FareboxError } from 'farebox'

const keys = new WeakMap<FareboxError, string>()

/** Keeps the Idempotency-Key of a paid call with an unknown outcome, for the advice. */
export async function mayRepeat<Result>(
  idempotencyKey: string,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof FareboxError && error.mayHaveArrived) keys.set(error, idempotencyKey)
    throw error
  }
}

/** The key that asks for the same work again free of charge. */
export function findRepeatKey(error: FareboxError): string | undefined {
  return keys.get(error)
}
