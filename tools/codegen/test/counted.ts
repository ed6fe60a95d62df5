/**
 * A count of how often something was looked at. It throws at its limit, so that what would not end
 * fails.
 */
export type Steps = {
  readonly take: () => void
  readonly taken: () => number
  readonly restart: () => void
}

export function createStepCounter(limit: number): Steps {
  let count = 0
  return {
    take: () => {
      if (++count > limit) throw new Error(`More than ${limit} steps were taken.`)
    },
    taken: () => count,
    restart: () => {
      count = 0
    },
  }
}

/**
 * A copy of a value in which each look at the field `kind` of an object, or at `$ref` where it has
 * none, is a step.
 */
export function instrumentReads<T>(value: T, { take }: Steps): T {
  const known = new Map<object, object>()
  const copy = (item: unknown): unknown => {
    if (typeof item !== 'object' || item === null) return item
    const made = known.get(item)
    if (made !== undefined) return made
    const fresh = (Array.isArray(item) ? [] : {}) as Record<string, unknown>
    known.set(item, fresh)
    for (const [key, inner] of Object.entries(item)) {
      const content = copy(inner)
      if (key !== 'kind' && key !== '$ref') {
        fresh[key] = content
        continue
      }
      const get = (): unknown => {
        take()
        return content
      }
      Object.defineProperty(fresh, key, { enumerable: true, configurable: true, get })
    }
    return fresh
  }
  return copy(value) as T
}

const sizes = new WeakMap<object, number>()

/** How many objects and lists a value is made of. It is counted once and may not change. */
export function measureSize(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const size = sizes.get(value) ?? countParts(value)
  sizes.set(value, size)
  return size
}

function countParts(value: unknown): number {
  const seen = new Set<object>()
  const stack = [value]
  for (let item = stack.pop(); item !== undefined || stack.length > 0; item = stack.pop()) {
    if (typeof item !== 'object' || item === null || seen.has(item)) continue
    seen.add(item)
    stack.push(...(Object.values(item) as unknown[]).filter((inner) => inner !== undefined))
  }
  return seen.size
}
