import type { Api } from '@farebox/codegen/model'
import type { Code } from './catalogue.js'
import type { Verdicts } from './verdict.js'
import type { VersionedSchema } from '../values/signature.js'

/**
 * The direction of the changed values. `both`: an annotation of a schema that is used in both
 * directions. `none`: the change concerns no values.
 */
export type Direction = 'request' | 'response' | 'both' | 'none'

/** The place of a change: in the newer document, or in the older one if it was removed. */
export type Place = {
  readonly side: 'base' | 'head'
  readonly file: string
  readonly line: number
  readonly column: number
  readonly pointer: string
}

/** The line is looked up on first use: a short report prints few of them. */
export function findPlace(side: Place['side'], found: Omit<Place, 'side'>): Place {
  return {
    side,
    file: found.file,
    get line() {
      return found.line
    },
    get column() {
      return found.column
    },
    pointer: found.pointer,
  }
}

/** The part of the contract under which a change is reported. */
export type Subject =
  | { readonly kind: 'operation' | 'schema'; readonly name: string }
  | { readonly kind: 'document' }

/** Facts about a change, in addition to its sentence. */
export type ChangeFacts = {
  readonly direction: Direction
  readonly subject: Subject
  readonly operation?: string
  /** The value of the changed fact before and after. Undefined for an absent fact. */
  readonly from?: unknown
  readonly to?: unknown
  /** The new names that a removed one may have. */
  readonly possibleRenames?: readonly Candidate[]
  /** The schemas whose sets of values differ. */
  readonly schemas?: { readonly base: VersionedSchema; readonly head: VersionedSchema }
}

/** One change of the contract. */
export type Change = {
  /**
   * The code and a hash of the sentence without the part about the older document: a change has the
   * same id regardless of the version that the newer document is compared with.
   */
  readonly id: string
  readonly code: Code
  /** A complete sentence. */
  readonly sentence: string
  readonly place: Place
  readonly direction: Direction
  readonly subject: Subject
  readonly verdicts: Verdicts
  /**
   * The ids of the affected operations, in the newer document (in the older one for removed
   * operations). Empty: the whole document.
   */
  readonly operations: readonly string[]
  readonly from?: unknown
  readonly to?: unknown
  /**
   * For a change that breaks callers: whether `serveOlder` hides it from those of the older
   * version. `unknown`: no value was found that shows the change. A change that no caller sees has
   * none.
   */
  readonly adapter?: 'hides' | 'cannot' | 'unknown' | undefined
  /** A JSON value that one version accepts and the other rejects. */
  readonly witness?: Witness | undefined
  /**
   * For a change that removes names: what they may be called now. Several for one name are
   * ambiguous. Renames that the newer document states are not included.
   */
  readonly possibleRenames?: readonly PossibleRename[]
}

/** What a name of the contract refers to. A `value` is a value of an enum. */
export type RenamedKind = 'operation' | 'schema' | 'parameter' | 'property' | 'value'

/** A new name that a removed one may have now. */
export type Candidate = {
  /** The same pair has the same id in every comparison. */
  readonly id: string
  readonly kind: RenamedKind
  /** What has the name: a schema, or the operation of a parameter. Others have none. */
  readonly owner?: string
  readonly from: string | number
  readonly to: string | number
  readonly origin: Api['schemas'][number]['origin']
}

/** A new name with the same place and shape as a removed one. `place` is that of the new name. */
export type PossibleRename = Omit<Candidate, 'origin'> & { readonly place: Place }

/** A value that shows a change. */
export type Witness = {
  readonly value: unknown
  readonly acceptedBy: 'base' | 'head'
  /** The value in the form of the other version, if an adapter can convert it. */
  readonly adapted?: unknown
}

/** The 32-bit FNV-1a hash of a string in base 36: short, and equal on every machine. */
export function hash(text: string): string {
  let hash = 0x811c9dc5
  const bytes = encoder.encode(text)
  for (let at = 0; at < bytes.length; at++)
    hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193) >>> 0
  return hash.toString(36)
}

const encoder = new TextEncoder()
