import { keptMs, createLimitStore, type LimitStore } from './limit-store.js'

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
      const found = await command(
        'EVAL',
        compareAndSet,
        '1',
        name,
        text,
        replacement,
        String(keptMs),
      )
      if (found === null || found === undefined) return
      text = decodeReply(found)
    }
  })
}

/** A reply is a string or its bytes; null for a key without a value. */
function decodeReply(reply: unknown): string {
  if (reply === null || reply === undefined) return ''
  return typeof reply === 'string' ? reply : new TextDecoder().decode(reply as Uint8Array)
}
