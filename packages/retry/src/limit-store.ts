/**
 * Where processes share rate limits and the failure budget: `fileLimitStore` of
 * `@farebox/retry/node` on one machine, `redisLimitStore` on several, or the result of
 * `createLimitStore` for a database. The clocks of the machines must agree to within a second.
 */
export type LimitStore = {
  /**
   * One atomic step: `change` receives a copy of the state of the key, or of `initial`, and changes
   * it in place. Nothing is written if it returns true. It may be called again with a new copy.
   */
  readonly update: <State>(
    key: string,
    initial: State,
    change: (state: State) => boolean,
  ) => Promise<void> | void
}

/**
 * Replaces the string of a key by the result of `change`, which receives `undefined` for a new key.
 * If it returns `undefined`, nothing is written. The update must be atomic. `change` has no other
 * effect, so it may be called again when another process was faster.
 */
export type UpdateText = (
  key: string,
  change: (text: string | undefined) => string | undefined,
) => Promise<void> | void

/** How long to keep a string after its last update, in milliseconds: ten minutes. */
export const keptMs = 600_000

/** A state from a clock that is further ahead is ignored. */
const mostAheadMs = 5000

/**
 * Creates a store from any place for strings, such as a row that a transaction locks. The strings
 * contain no credential. An unreadable string counts as missing, and so does one from the future,
 * whose clock was set back.
 *
 * @param update replaces the string at a key atomically
 * @example
 * ```ts
 * const store = createLimitStore(async (key, change) => {
 *   await database.transaction(async (row) => row.write(key, change(await row.lock(key))))
 * })
 * ```
 */
export function createLimitStore(update: UpdateText, now: () => number = Date.now): LimitStore {
  return {
    update: (key, initial, change) => {
      const changeText = (text: string | undefined) => {
        const at = now()
        const state = (readState(text, at + mostAheadMs) ??
          structuredClone(initial)) as typeof initial
        return change(state) ? undefined : JSON.stringify({ at, state })
      }
      try {
        const result = update(key, changeText)
        return result instanceof Promise ? result.catch(failStore) : result
      } catch (error) {
        return failStore(error)
      }
    },
  }
}

/** A call uses the store before it is sent. */
function failStore(cause: unknown): never {
  const why = 'the store of rateLimit and failureBudget failed, so nothing was sent'
  throw Object.assign(new Error(why, { cause }), { code: 'store_failed', mayHaveArrived: false })
}

function readState(text: string | undefined, latest: number): unknown {
  try {
    const { at, state } = JSON.parse(text ?? '') as { readonly at: number; readonly state: unknown }
    return at < latest ? state : undefined
  } catch {
    return undefined
  }
}

/**
 * A store in the memory of this process, for tests. Above a thousand keys it deletes the least
 * recently written one.
 *
 * @example
 * ```ts
 * const middleware = rateLimit({ store: memoryLimitStore() })
 * ```
 */
export function memoryLimitStore(now?: () => number): LimitStore {
  const texts = new Map<string, string>()
  return createLimitStore((key, change) => {
    const text = change(texts.get(key))
    if (text === undefined) return
    texts.delete(key)
    texts.set(key, text)
    const [oldest = ''] = texts.keys()
    if (texts.size > 1000) texts.delete(oldest)
  }, now)
}
