import type { Call } from './call.js'

/** A copy of the call with one header set. The original call keeps its headers. */
export function withHeader(call: Call, name: string, value: string): Call {
  const headers = new Headers(call.headers)
  headers.set(name, value)
  return { ...call, headers }
}
