/** The parts of the Lua interpreter that the tests use. It has no types of its own. */
declare module 'fengari' {
  type Call = (...values: readonly unknown[]) => void
  const fengari: {
    readonly lua: {
      readonly lua_gettop: (state: unknown) => number
      readonly lua_isstring: (state: unknown, index: number) => boolean
      readonly lua_newtable: Call
      readonly lua_pushboolean: Call
      readonly lua_pushcfunction: Call
      readonly lua_pushstring: Call
      readonly lua_rawseti: Call
      readonly lua_setfield: Call
      readonly lua_setglobal: Call
      readonly lua_settop: Call
      readonly lua_tostring: (state: unknown, index: number) => unknown
    }
    readonly lauxlib: {
      readonly luaL_newstate: () => unknown
      readonly luaL_dostring: (state: unknown, script: unknown) => number
    }
    readonly lualib: { readonly luaL_openlibs: Call }
    readonly to_luastring: (text: string) => unknown
    readonly to_jsstring: (bytes: unknown) => string
  }
  export default fengari
}
