/** The bump that a change requires; `none`: the package does not contain the change. */
export type Verdict = 'none' | 'patch' | 'minor' | 'major'

/** The bump of a released package. */
export type Bump = Exclude<Verdict, 'none'>

/** The outputs of the contract. `sdk` wraps the client. */
export type PackageKey = 'types' | 'zod' | 'client' | 'sdk'

/** A verdict for each package. */
export type Verdicts = { readonly [P in PackageKey]: Verdict }

export const packageKeys: readonly PackageKey[] = ['types', 'zod', 'client', 'sdk']

const order: readonly Verdict[] = ['none', 'patch', 'minor', 'major']

/** The stricter of two verdicts. Verdicts form a chain, so this is the join of the lattice. */
export function pickStricter(a: Verdict, b: Verdict): Verdict {
  return order.indexOf(a) < order.indexOf(b) ? b : a
}

/** The strictest of several verdicts for each package; `none` if there are none. */
export function joinVerdicts(verdicts: readonly Verdicts[]): Verdicts {
  const strictest = (key: PackageKey): Verdict =>
    verdicts.map((each) => each[key]).reduce(pickStricter, 'none')
  return {
    types: strictest('types'),
    zod: strictest('zod'),
    client: strictest('client'),
    sdk: strictest('sdk'),
  }
}

/** The strictest verdict of all packages. */
export function strictest({ types, zod, client, sdk }: Verdicts): Verdict {
  return [types, zod, client, sdk].reduce(pickStricter)
}
