import { withHeader, type Middleware } from '@farebox/middleware'

/**
 * Adds an Idempotency-Key to each POST that has none. Place it outside of `retry`, so that all
 * attempts of a call have the same key.
 */
export function idempotencyKeys(createKey: () => string = randomKey): Middleware {
  return (next) => async (call) => {
    if (call.method !== 'POST' || call.headers.has('idempotency-key')) return next(call)
    return next(withHeader(call, 'Idempotency-Key', createKey()))
  }
}

/**
 * A random UUID, or 128 random bits in hexadecimal on a page without HTTPS. Each key has new random
 * bits: a service may derive a cipher from it, and a process may be cloned.
 */
function randomKey(): string {
  const { crypto } = globalThis as {
    readonly crypto: Pick<Crypto, 'getRandomValues'> & Partial<Pick<Crypto, 'randomUUID'>>
  }
  return (
    crypto.randomUUID?.() ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), hex).join('')
  )
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}
