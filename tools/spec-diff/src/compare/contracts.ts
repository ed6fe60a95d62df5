import type { Api } from '@farebox/codegen'
import type { Change } from '../change/change.js'
import { createChangeList } from '../change/change-list.js'
import { compareCalls } from './calls.js'
import { compareDocument } from './document.js'
import { compareExtras, type Extras } from './extras.js'
import { compareNames } from './names.js'
import { compareOperations } from './operations.js'
import { withFormerSchemes } from './security.js'
import { createSides } from '../values/side.js'
import { hopsOfAll } from '../witness/find-witness.js'

/** A version of a contract: the operations, and the requests that the service sends. */
export type Contract = {
  readonly api: Api
  /** Webhooks and callbacks, as operations. */
  readonly calls?: Api
  /** Links of responses and headers of parts, which no generated code has. */
  readonly extras?: Extras
}

/**
 * Reports changes by operation, then those of webhooks and callbacks, of exported schema names, and
 * of the rest. `hops` limits the search for witnesses: how many references it may follow.
 */
export function compareContracts(
  base: Contract,
  head: Contract,
  hops = hopsOfAll,
): readonly Change[] {
  const changes = createChangeList({ base: base.api, head: head.api }, hops)
  const sides = createSides(base.api, head.api)
  compareOperations(base.api, withFormerSchemes(base.api, head.api), { changes, ...sides })
  compareExtras(base, head, changes)
  const [before, after] = [selectCalls(base), selectCalls(head)]
  if (before.operations.length + after.operations.length > 0) compareCalls(before, after, changes)
  compareNames(base.api, head.api, [before, after], { changes, ...sides })
  compareDocument(base.api, head.api, changes)
  return changes.all()
}

/** The same for documents without webhooks and callbacks. */
export function compareApi(base: Api, head: Api, hops?: number): readonly Change[] {
  return compareContracts({ api: base }, { api: head }, hops)
}

function selectCalls({ api, calls }: Contract): Api {
  return calls ?? { ...api, operations: [] }
}
