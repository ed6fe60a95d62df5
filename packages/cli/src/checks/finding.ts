/** The result of one check. */
export type Finding = {
  /** What was looked at: `clock`. */
  readonly name: string
  /** A warning can be lived with. A skipped check needs another one that failed. */
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped'
  /** One sentence or less. Holds no secret. */
  readonly found: string
  /** What to do. */
  readonly advice?: string
}

export function pass(name: string, found: string): Finding {
  return { name, status: 'ok', found }
}

export function warn(name: string, found: string, advice: string): Finding {
  return { name, status: 'warning', found, advice }
}

export function fail(name: string, found: string, advice?: string): Finding {
  return { name, status: 'failed', found, ...(advice !== undefined && { advice }) }
}

export function skip(name: string, found: string): Finding {
  return { name, status: 'skipped', found }
}
