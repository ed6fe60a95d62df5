/** `warning`: it works, and an operator should know. `skipped`: there is nothing to check. */
export type Mark = 'ok' | 'warning' | 'failed' | 'skipped'

/** What one check found. */
export type Finding = {
  readonly check: string
  readonly mark: Mark
  readonly found: string
  /** What to do about it. Of warnings and failures. */
  readonly advice?: string
}

/** A check without its name. */
export type Found = Omit<Finding, 'check'>

export const ok = (found: string): Found => ({ mark: 'ok', found })
export const skipped = (found: string): Found => ({ mark: 'skipped', found })
export const warning = (found: string, advice: string): Found => ({
  mark: 'warning',
  found,
  advice,
})
export const failed = (found: string, advice: string): Found => ({ mark: 'failed', found, advice })
