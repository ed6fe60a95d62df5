import { keptMs, paceStore, type PaceStore } from './pace-store.js'

/**
 * Sends one command of so many words to a server that speaks the protocol of Redis, and gives its
 * reply. With ioredis: `(...words) => redis.call(...words)`. With node-redis: `(...words) =>
 * redis.sendCommand(words)`.
 */
export type RedisCommand = (name: string, ...words: string[]) => Promise<unknown>

/** Sets the value if it is still the expected one. Else gives the value that it found. */
const replace = `local found = redis.call('GET', KEYS[1]) or ''
if found ~= ARGV[1] then return found end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return false`

/**
 * Shares rate limits and the failure budget among processes of any number of machines, by a server
 * that speaks the protocol of Redis and runs scripts (EVAL). A key expires ten minutes after its
 * last update. An error of the client fails the call.
 */
export function redisPaceStore(command: RedisCommand, { prefix = 'farebox:' }: { readonly prefix?: string } = {}): PaceStore {
  return paceStore(async (key, change) => {
    const name = prefix + key
    let text = textOf(await command('GET', name))
    for (;;) {
      const changed = change(text === '' ? undefined : text)
      if (changed === undefined) return
      const found = await command('EVAL', replace, '1', name, text, changed, String(keptMs))
      if (found === null || found === undefined) return
      text = textOf(found)
    }
  })
}

/** A reply is a text, or the bytes of one; null for a key without a value. */
function textOf(reply: unknown): string {
  if (reply === null || reply === undefined) return ''
  return typeof reply === 'string' ? reply : new TextDecoder().decode(reply as Uint8Array)
}
