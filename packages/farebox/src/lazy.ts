import { FareboxError } from './error.js'

/** Creates a value once. A failure is not kept: the next caller tries again. */
export function once<Value>(create: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined
  return () =>
    (value ??= create().catch((error: unknown) => {
      value = undefined
      throw error
    }))
}

/**
 * Loads code of the SDK that not every caller needs. It is a file of its own in bundles that are
 * split. Rejects with the `FareboxError` `not_loaded` if that file is gone or out of reach.
 */
export async function loadCode<Code>(what: string, load: () => Promise<Code>): Promise<Code> {
  try {
    return await load()
  } catch (cause) {
    throw new FareboxError(
      `The SDK's code for ${what} could not be loaded. Nothing was sent. Check the connection; if the page is older than its site, reload it.`,
      { code: 'not_loaded', attempts: 0, cause },
    )
  }
}
