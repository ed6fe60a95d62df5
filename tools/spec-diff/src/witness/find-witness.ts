import { admits, type Json, type Schema } from '@farebox/codegen'
import type { Resolve } from '../resolve.js'
import { listCandidates, takeFirst } from './candidates.js'

/** A schema of one version, and what its references mean there. */
export type Versioned = { readonly schema: Schema; readonly resolve: Resolve }

/**
 * Finds the shortest of the tried values that one version accepts and the other refuses. The values
 * come from the edges of both schemas, or of the one that is named. Undefined if none of them shows
 * it: that proves nothing.
 */
export type FindWitness = (
  accepting: Versioned,
  refusing: Versioned,
  edges?: 'accepting' | 'refusing',
) => Json | undefined

/** How many values of each version are tried for one change. */
const budget = 400
/** How many references one search follows. Schemas may refer to each other in endless ways. */
const hopsOfSearch = 20_000
/** How many references all searches of a comparison follow: some seconds. */
export const hopsOfAll = 3_000_000

/** Searches with a common limit of references. Once it is reached, nothing more is found. */
export function witnessFinder(hops: number): FindWitness {
  let left = hops
  return (accepting, refusing, edges) => {
    let mine = Math.min(left, hopsOfSearch)
    left -= mine
    const limited = ({ schema, resolve }: Versioned): Versioned => ({
      schema,
      resolve: (name) => {
        if (mine-- <= 0) throw new Exhausted()
        return resolve(name)
      },
    })
    const found: Found = {}
    try {
      search(limited(accepting), limited(refusing), edges, found)
    } catch (error) {
      if (!(error instanceof Exhausted)) throw error
    }
    left += Math.max(0, mine)
    return found.value
  }
}

class Exhausted extends Error {
  override readonly name = 'Exhausted'
}

type Found = { value?: Json; length?: number }

function search(
  accepting: Versioned,
  refusing: Versioned,
  edges: 'accepting' | 'refusing' | undefined,
  found: Found,
): void {
  const sources =
    edges === undefined ? [accepting, refusing] : [edges === 'accepting' ? accepting : refusing]
  for (const { schema, resolve } of sources) {
    for (const value of takeFirst(listCandidates(schema, resolve), budget)) {
      const { length } = JSON.stringify(value)
      if (length >= (found.length ?? Infinity)) continue
      if (
        !admits(accepting.schema, value, accepting.resolve) ||
        admits(refusing.schema, value, refusing.resolve)
      )
        continue
      found.value = value
      found.length = length
    }
  }
}
