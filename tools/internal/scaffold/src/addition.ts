/**
 * The changes of one kind of addition, as whole files, and the decisions that are left to a person.
 */
export type Addition = {
  readonly files: readonly Change[]
  /** Steps that follow, in order: a command, or a place with the decision that it needs. */
  readonly next: readonly string[]
}

/** A file by its path from the root of the repository. A `new` file must not exist yet. */
export type Change = { readonly path: string; readonly text: string; readonly isNew: boolean }

/** Reads a file of the repository by its path from the root. */
export type SourceReader = (path: string) => string

/** A request that cannot be carried out. The message states the remedy. */
export class ScaffoldError extends Error {
  override readonly name = 'ScaffoldError'
}

export function createNewFile(path: string, text: string): Change {
  return { path, text, isNew: true }
}

/** A changeset: the bump of each package, and what its changelog says. */
export function createChangeset(
  name: string,
  bumps: Readonly<Record<string, 'minor' | 'patch'>>,
  text: string,
): Change {
  const lines = Object.entries(bumps).map(([bumped, bump]) => `'${bumped}': ${bump}`)
  return createNewFile(`.changeset/${name}.md`, `---\n${lines.join('\n')}\n---\n\n${text}\n`)
}
