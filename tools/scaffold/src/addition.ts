/**
 * The changes of one kind of addition, as whole files, and the decisions that are left to a person.
 */
export type Addition = {
  /** Paths from the root of the repository. A `new` file must not exist yet. */
  readonly files: readonly { readonly path: string; readonly text: string; readonly isNew: boolean }[]
  /** Steps that follow, in order: a command, or a place with the decision that it needs. */
  readonly next: readonly string[]
}

/** Reads a file of the repository by its path from the root. */
export type Read = (path: string) => string

/** A request that cannot be carried out. The message states the remedy. */
export class ScaffoldError extends Error {
  override readonly name = 'ScaffoldError'
}
