/**
 * Where processes share rate limits and the failure budget: `filePaceStore` of
 * `@farebox/retry/node` on one machine, `redisPaceStore` of `@farebox/retry/redis` on several, or
 * what `paceStore` makes of a database. The clocks of the machines must agree to within a second.
 */
export type PaceStore = {
  /**
   * One atomic step: `change` gets a copy of the state of the key, or of `initial`, and changes it
   * in place. Nothing is written if it returns true. It may be called again on a fresh copy.
   */
  readonly update: <State>(key: string, initial: State, change: (state: State) => boolean) => Promise<void> | void
}

/**
 * Replaces the text of a key by the result of `change`, which gets `undefined` for a new key.
 * `undefined` as a result means: nothing to write. The update must be atomic. `change` has no other
 * effect, so it may be called again when another process was faster.
 */
export type UpdateText = (key: string, change: (text: string | undefined) => string | undefined) => Promise<void> | void

/** How long a text must be kept after its last update, in milliseconds: ten minutes. */
export const keptMs = 600_000

/** The state of a clock that is further ahead says nothing. */
const mostAheadMs = 5000

/**
 * Makes a store of a place for texts, such as a row that a transaction locks. The texts hold no
 * credential. A text that cannot be read counts as none, and so does one from the future: the clock
 * was set back.
 */
export function paceStore(update: UpdateText, now: () => number = Date.now): PaceStore {
  return {
    update: (key, initial, change) => {
      const changed = (text: string | undefined) => {
        const at = now()
        const state = (readState(text, at + mostAheadMs) ?? structuredClone(initial)) as typeof initial
        return change(state) ? undefined : JSON.stringify({ at, state })
      }
      try {
        const updating = update(key, changed)
        return updating instanceof Promise ? updating.catch(notSent) : updating
      } catch (error) {
        return notSent(error)
      }
    },
  }
}

/** A call waits for the store before it is sent. */
function notSent(cause: unknown): never {
  const why = 'the store of pace and guard failed, so nothing was sent'
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
 * A store in the memory of this process, for tests. Above a thousand keys it deletes the one that
 * was not written for the longest time.
 */
export function memoryStore(now?: () => number): PaceStore {
  const texts = new Map<string, string>()
  return paceStore((key, change) => {
    const text = change(texts.get(key))
    if (text === undefined) return
    texts.delete(key)
    texts.set(key, text)
    const [oldest = ''] = texts.keys()
    if (texts.size > 1000) texts.delete(oldest)
  }, now)
}
