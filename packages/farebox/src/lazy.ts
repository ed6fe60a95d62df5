import { FareboxError } from './error.js'

/** Makes a value once. A failure is not kept: the next caller tries again. */
export function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    }))
}

/**
 * Loads code of the SDK that not every caller needs, which is a file of its own in bundles that are
 * split. Rejects with a `FareboxError` `not_loaded` if that file is gone or out of reach.
 */
export async function loaded<Code>(what: string, load: () => Promise<Code>): Promise<Code> {
  try {
    return await load()
  } catch (cause) {
    throw new FareboxError(
      `The SDK's code for ${what} could not be loaded. Nothing was sent. Check the connection; if the page is older than its site, load it again.`,
      { code: 'not_loaded', attempts: 0, cause },
    )
  }
}
