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
const keptMs = 600_000

/** A state from a clock that is further ahead is ignored. */
const maxAheadMs = 5000

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
        const state = (readState(text, at + maxAheadMs) ??
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

/**
 * Sends one command to a server that speaks the Redis protocol, and returns its reply. With
 * ioredis: `(...words) => redis.call(...words)`. With node-redis: `(...words) =>
 * redis.sendCommand(words)`.
 */
export type RedisCommand = (name: string, ...words: string[]) => Promise<unknown>

/** Sets the value if it is still the expected one. Otherwise returns the value that it found. */
const compareAndSet = `local found = redis.call('GET', KEYS[1]) or ''
if found ~= ARGV[1] then return found end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return false`

/**
 * Shares rate limits and the failure budget among processes of any number of machines, on a server
 * that speaks the Redis protocol and runs scripts (EVAL). A key expires ten minutes after its last
 * update. An error of the client fails the call.
 *
 * @example
 * ```ts
 * const redis = new Redis(process.env.REDIS_URL)
 * const store = redisLimitStore((...words) => redis.call(...words))
 * const middleware = [rateLimit({ store }), failureBudget({ store })]
 * ```
 */
export function redisLimitStore(
  command: RedisCommand,
  { prefix = 'farebox:' }: { readonly prefix?: string } = {},
): LimitStore {
  return createLimitStore(async (key, change) => {
    const name = prefix + key
    let text = decodeReply(await command('GET', name))
    for (;;) {
      const replacement = change(text === '' ? undefined : text)
      if (replacement === undefined) return
      const reply = await command(
        'EVAL',
        compareAndSet,
        '1',
        name,
        text,
        replacement,
        String(keptMs),
      )
      if (reply === null || reply === undefined) return
      text = decodeReply(reply)
    }
  })
}

/** A reply is a string or its bytes; null for a key without a value. */
function decodeReply(reply: unknown): string {
  if (reply === null || reply === undefined) return ''
  return typeof reply === 'string' ? reply : new TextDecoder().decode(reply as Uint8Array)
}
