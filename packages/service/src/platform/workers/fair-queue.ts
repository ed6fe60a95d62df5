export type Waiting = { readonly caller: string; readonly bytes: number }

/** A bounded queue in which callers take turns. */
export type FairQueue<T extends Waiting> = {
  /** False when the queue is full. */
  readonly add: (item: T) => boolean
  /** Takes the oldest item of the caller with the earliest last turn, among those that `mayRun`. */
  readonly take: (mayRun: (caller: string) => boolean) => T | undefined
  readonly remove: (item: T) => void
  readonly size: () => number
  readonly clear: () => readonly T[]
}

export type FairQueueLimits = {
  /** Bytes of all items together. */
  readonly bytes: number
  readonly items: number
}

/** Callers whose last turn is remembered. */
const remembered = 10_000

/** One caller gets at most half of the limits, but can always add a first item. */
export function createFairQueue<T extends Waiting>(most: FairQueueLimits): FairQueue<T> {
  const items = new Set<T>()
  /** The last turn of each caller, in order. */
  const turns = new Map<string, number>()
  let serial = 0

  const fits = (waiting: readonly T[], added: T, share: number) =>
    waiting.length < most.items * share &&
    waiting.reduce((sum, { bytes }) => sum + bytes, added.bytes) <= most.bytes * share

  const took = ({ caller }: T): void => {
    turns.delete(caller)
    turns.set(caller, ++serial)
    for (const [oldest] of turns.size > remembered ? turns : []) {
      turns.delete(oldest)
      break
    }
  }

  return {
    add: (item) => {
      const all = [...items]
      const own = all.filter(({ caller }) => caller === item.caller)
      if (!fits(all, item, 1) || (own.length > 0 && !fits(own, item, 0.5))) return false
      items.add(item)
      return true
    },

    take: (mayRun) => {
      let next: T | undefined
      let earliest = Infinity
      for (const item of items) {
        const turn = turns.get(item.caller) ?? 0
        if (turn >= earliest || !mayRun(item.caller)) continue
        next = item
        earliest = turn
      }
      if (next === undefined) return undefined
      items.delete(next)
      took(next)
      return next
    },

    remove: (item) => void items.delete(item),

    size: () => items.size,

    clear: () => {
      const all = [...items]
      items.clear()
      return all
    },
  }
}
