import { createHash } from 'node:crypto'

/**
 * A hash that tells two inputs under one Idempotency-Key apart. Files are hashed too, so nothing of
 * them is kept.
 */
export function fingerprint(input: Readonly<Record<string, unknown>>): string {
  const hash = createHash('sha256')
  for (const [name, value] of Object.entries(input).sort(([one], [other]) =>
    one < other ? -1 : 1,
  )) {
    const bytes = value instanceof Uint8Array ? value : JSON.stringify(value)
    hash.update(JSON.stringify([name, bytes.length]))
    hash.update(bytes)
  }
  return hash.digest('hex')
}
