import fengari from 'fengari'
import type { RedisCommand } from '../src/limit-store.js'

const { lua, lauxlib, lualib, to_luastring: encode, to_jsstring: decode } = fengari

/** The commands GET and EVAL of a Redis server, with a real interpreter for its scripts. */
export function createLuaRedis(): {
  readonly command: RedisCommand
  readonly values: Map<string, string>
} {
  const values = new Map<string, string>()
  const state = lauxlib.luaL_newstate()
  lualib.luaL_openlibs(state)
  const push = (list: readonly string[], name: string) => {
    lua.lua_newtable(state)
    for (const [index, value] of list.entries()) {
      lua.lua_pushstring(state, encode(value))
      lua.lua_rawseti(state, -2, index + 1)
    }
    lua.lua_setglobal(state, encode(name))
  }
  lua.lua_newtable(state)
  lua.lua_pushcfunction(state, (inside: unknown) => {
    const words = Array.from({ length: lua.lua_gettop(inside) }, (_, index) =>
      decode(lua.lua_tostring(inside, index + 1)),
    )
    const [name, key = '', value = ''] = words
    if (name === 'SET') values.set(key, value)
    const entry = values.get(key)
    // as in Redis, a key without a value is false
    if (entry === undefined) lua.lua_pushboolean(inside, false)
    else lua.lua_pushstring(inside, encode(entry))
    return 1
  })
  lua.lua_setfield(state, -2, encode('call'))
  lua.lua_setglobal(state, encode('redis'))

  const command: RedisCommand = async (name, ...words) => {
    if (name === 'GET') return values.get(words[0] ?? '') ?? null
    const [script = '', count = '', ...rest] = words
    push(rest.slice(0, Number(count)), 'KEYS')
    push(rest.slice(Number(count)), 'ARGV')
    if (lauxlib.luaL_dostring(state, encode(script)) !== 0)
      throw new Error(decode(lua.lua_tostring(state, -1)))
    const reply = lua.lua_isstring(state, -1) ? decode(lua.lua_tostring(state, -1)) : null
    lua.lua_settop(state, 0)
    return reply
  }
  return { command, values }
}
