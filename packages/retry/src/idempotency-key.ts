import { withHeader, type Middleware } from '@farebox/middleware'

/**
 * Gives each POST without an Idempotency-Key one. Put it outside of `retry`, so that all attempts
 * of a call carry the same key.
 */
export function idempotencyKeys(make: () => string = idempotencyKey): Middleware {
  return (next) => async (call) => {
    if (call.method !== 'POST' || call.headers.has('idempotency-key')) return next(call)
    return next(withHeader(call, 'Idempotency-Key', make()))
  }
}

/**
 * A random UUID, or 128 random bits in hexadecimal on a page without HTTPS. Each key has bits of
 * its own: a service may derive a cipher from it, and a process may be cloned.
 */
function idempotencyKey(): string {
  const { crypto } = globalThis as { readonly crypto: Pick<Crypto, 'getRandomValues'> & Partial<Pick<Crypto, 'randomUUID'>> }
  return crypto.randomUUID?.() ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), hex).join('')
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}
