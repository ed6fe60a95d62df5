/**
 * Compares what has this key, once. For each further operation that reaches it, the changes that
 * were found affect that operation too. Within its own comparison it finds no further change.
 */
export type CompareOnce = (
  key: readonly unknown[],
  operation: string | undefined,
  compare: () => boolean,
) => boolean

type Comparisons<Found> = {
  readonly compareOnce: CompareOnce
  /** Adds what the innermost comparison in progress has found. */
  readonly add: (found: Found) => void
}

/** A comparison that is done or in progress, with what it found itself and the ones within it. */
type Comparison<Found> = {
  changed: boolean
  readonly found: Set<Found>
  readonly inner: Set<Comparison<Found>>
  readonly operations: Set<string | undefined>
}

/** `affect` notes that something which was found affects a further operation. */
export function createComparisons<Found>(
  affect: (found: Found, operation: string | undefined) => void,
): Comparisons<Found> {
  const all: Tree<Comparison<Found>> = new Map()
  const inProgress: Comparison<Found>[] = []
  return {
    add: (found) => void inProgress.at(-1)?.found.add(found),
    compareOnce: (key, operation, compare) => {
      const one = findComparison(all, key)
      inProgress.at(-1)?.inner.add(one)
      if (one.operations.size > 0) {
        reach(one, operation)
        return one.changed
      }
      one.operations.add(operation)
      inProgress.push(one)
      one.changed = compare()
      inProgress.pop()
      return one.changed
    },
  }

  function reach(start: Comparison<Found>, operation: string | undefined): void {
    if (start.operations.has(operation)) return
    const reached = new Set([start])
    for (const { inner, found, operations } of reached) {
      operations.add(operation)
      for (const each of found) affect(each, operation)
      for (const one of inner) reached.add(one)
    }
    // one in a circle was compared before those around it had found their changes
    start.changed = [...reached].some(({ changed }) => changed)
  }
}

type Tree<Leaf> = Map<unknown, Tree<Leaf> | Leaf>

function findComparison<Found>(
  all: Tree<Comparison<Found>>,
  key: readonly unknown[],
): Comparison<Found> {
  let tree = all
  for (const part of key.slice(0, -1))
    tree = findOrAdd(tree, part, () => new Map()) as Tree<Comparison<Found>>
  return findOrAdd(tree, key.at(-1), () => ({
    changed: false,
    found: new Set(),
    inner: new Set(),
    operations: new Set(),
  })) as Comparison<Found>
}

export function findOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const created = create()
  map.set(key, created)
  return created
}
