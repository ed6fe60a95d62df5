import type { Api } from '@farebox/codegen'
import { verdictsOf, type Code } from './catalogue.js'
import type { Change, Direction, Place } from './change.js'

type Origin = Api['schemas'][number]['origin']

/** A place in one of the two documents. */
export type Spot = { readonly side: 'base' | 'head'; readonly origin: Origin }

type Sides = { readonly base: Api; readonly head: Api }

/** Collects changes, each once, with all operations that it affects. */
export type ChangeList = {
  readonly note: (code: Code, sentence: string, spot: Spot, direction: Direction, operation?: string) => void
  readonly all: () => readonly Change[]
  /** The compared pairs by purpose, and whether a change was reported for each. */
  readonly compared: (by: string) => Map<unknown, Map<unknown, boolean>>
}

export function createChangeList(sides: Sides): ChangeList {
  const compared = new Map<string, Map<unknown, Map<unknown, boolean>>>()
  const changes = new Map<string, { readonly change: Change; readonly operations: Set<string> }>()
  return {
    compared: (by) => {
      const pairs = compared.get(by) ?? new Map<unknown, Map<unknown, boolean>>()
      compared.set(by, pairs)
      return pairs
    },
    note: (code, sentence, { side, origin }, direction, operation) => {
      const { file, pointer } = origin
      const key = JSON.stringify([code, sentence, side, file, pointer])
      const place = (): Place => ({ side, ...sides[side].locate(origin) })
      const known = changes.get(key) ?? {
        change: { code, sentence, place: place(), direction, verdicts: verdictsOf(code), operations: [] },
        operations: new Set<string>(),
      }
      if (operation !== undefined) known.operations.add(operation)
      changes.set(key, known)
    },
    all: () => [...changes.values()].map(({ change, operations }) => ({ ...change, operations: [...operations].toSorted() })),
  }
}
