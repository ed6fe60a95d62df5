/** 128 random bits as hexadecimal: a key for one purpose, in the alphabet that services take ([A-Za-z0-9_-]). */
export function idempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
