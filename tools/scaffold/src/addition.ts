/** What a kind of addition changes, as whole texts of files, and what is left for a person to decide. */
export type Addition = {
  /** Paths from the root of the repository. A `new` file must not exist yet. */
  readonly files: readonly { readonly path: string; readonly text: string; readonly isNew: boolean }[]
  /** Steps that follow, in order: a command, or a place with the decision that it needs. */
  readonly next: readonly string[]
}

/** Reads a file of the repository by its path from the root. */
export type Read = (path: string) => string

/** A request that cannot be carried out. The message says what was found, what was expected and what to do. */
export class ScaffoldError extends Error {
  override readonly name = 'ScaffoldError'
}
