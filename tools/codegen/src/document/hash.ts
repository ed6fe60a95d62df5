import { createHash } from 'node:crypto'

/** The SHA-256 of the concatenated parts, in hex. */
export function sha256(...parts: readonly (string | Uint8Array)[]): string {
  const sum = createHash('sha256')
  for (const part of parts) sum.update(part)
  return sum.digest('hex')
}
