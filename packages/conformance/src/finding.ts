/** The service violates the contract. */
export class Finding extends Error {
  override readonly name = 'Finding'
  readonly expected: string
  readonly found: string

  constructor(expected: string, found: string) {
    super(`expected ${expected}, found ${found}`)
    this.expected = expected
    this.found = found
  }
}

/** The option of `verify` that lets a skipped check run. */
export type Need = 'apiKey' | 'wallet' | 'spendUsd' | 'topUpUsd' | 'payInline'

/** A check cannot decide whether the service fulfils the contract. */
export class Skipped extends Error {
  override readonly name = 'Skipped'
  readonly needs: Need | undefined

  constructor(reason: string, needs?: Need) {
    super(reason)
    this.needs = needs
  }
}

/** Throws a `Finding` unless it holds. */
export function must(holds: boolean, expected: string, found: unknown): asserts holds {
  if (!holds) throw new Finding(expected, shorten(found))
}

/** A value as the text of a finding, with at most 300 characters. */
export function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
