import type { Readiness } from './readiness.js'

/** A readiness that ends with `drain`, whatever state the parts are in. */
export function draining(ready: () => Promise<Readiness>): { readonly ready: () => Promise<Readiness>; readonly drain: () => void } {
  let drains = false
  return {
    ready: async () => {
      const found = drains ? undefined : await ready()
      // it may have begun meanwhile
      return found === undefined || drains ? { ready: false, checks: { service: 'draining' } } : found
    },
    drain: () => void (drains = true),
  }
}
