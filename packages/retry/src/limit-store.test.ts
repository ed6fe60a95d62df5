import { expect, test } from 'vitest'
import { createLuaRedis } from '../test/redis-in-lua.js'
import { redisLimitStore, type RedisCommand } from './limit-store.js'

type Count = { count: number }
const add = (state: Count) => {
  state.count++
  return false
}

test('concurrent updates of several clients each count once', async () => {
  const { command, values } = createLuaRedis()
  const stores = [1, 2, 3, 4].map(() => redisLimitStore(command))
  await Promise.all(
    stores.flatMap((store) =>
      Array.from({ length: 25 }, async () => store.update('key', { count: 0 }, add)),
    ),
  )
  expect([...values.keys()]).toEqual(['farebox:key'])
  expect(JSON.parse(values.get('farebox:key') ?? '')).toMatchObject({ state: { count: 100 } })
})

test('a change that returns true writes nothing', async () => {
  const { command, values } = createLuaRedis()
  await redisLimitStore(command).update('key', { count: 0 }, () => true)
  expect(values.size).toBe(0)
})

test('accepts replies in bytes and a custom prefix, and keys expire after ten minutes', async () => {
  const { command, values } = createLuaRedis()
  const sent: string[][] = []
  const bytesCommand: RedisCommand = async (...words) => {
    sent.push(words)
    const reply = await command(...words)
    return typeof reply === 'string' ? new TextEncoder().encode(reply) : reply
  }
  const store = redisLimitStore(bytesCommand, { prefix: 'mine ' })
  await store.update('key', { count: 0 }, add)
  await store.update('key', { count: 0 }, add)
  expect(JSON.parse(values.get('mine key') ?? '')).toMatchObject({ state: { count: 2 } })
  expect(sent.map((words) => words.at(-1))).toEqual(['mine key', '600000', 'mine key', '600000'])
})

test('an error of the client is the cause of the call’s error, and an unreadable string counts as missing', async () => {
  const away = new Error('the server is away')
  await expect(
    redisLimitStore(async () => Promise.reject(away)).update('key', { count: 0 }, add),
  ).rejects.toMatchObject({ cause: away })
  const { command, values } = createLuaRedis()
  values.set('farebox:key', '{"sta')
  await redisLimitStore(command).update('key', { count: 0 }, add)
  expect(JSON.parse(values.get('farebox:key') ?? '')).toMatchObject({ state: { count: 1 } })
})
