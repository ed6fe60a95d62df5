import type { Call } from './call.js'

/** The same call with one header set. The call that was given keeps its own headers. */
export function withHeader(call: Call, name: string, value: string): Call {
  const headers = new Headers(call.headers)
  headers.set(name, value)
  return { ...call, headers }
}
