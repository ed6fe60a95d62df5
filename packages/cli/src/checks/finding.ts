/** The result of one check. */
export type Finding = {
  /** The subject of the check: `clock`. */
  readonly name: string
  /** A warning does not prevent calls. A skipped check depends on another one that failed. */
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped'
  /** At most one sentence, without secrets. */
  readonly found: string
  /** What to do. */
  readonly advice?: string
}

export function pass(name: string, observation: string): Finding {
  return { name, status: 'ok', found: observation }
}

export function warn(name: string, observation: string, advice: string): Finding {
  return { name, status: 'warning', found: observation, advice }
}

export function fail(name: string, observation: string, advice?: string): Finding {
  return { name, status: 'failed', found: observation, ...(advice !== undefined && { advice }) }
}

export function skip(name: string, observation: string): Finding {
  return { name, status: 'skipped', found: observation }
}
