import type { Api } from '../ir/api.js'
import type { SourceFile } from './source-file.js'

/**
 * The version of the kit. It changes only if an existing plugin would no longer compile or would
 * write something else.
 */
export const kitVersion = 1

/** An output of another package. */
export type Plugin = {
  /** The version of the kit that it was written for. */
  readonly kit: number
  /** The name for `--only` and `outputs`, and of its folder. */
  readonly name: string
  /** The files of the output. A pure function: the same model yields the same files. */
  readonly emit: (api: Api) => readonly SourceFile[]
}

/**
 * Creates a plugin for this version of the kit. Throws a `TypeError` for a name that is not words
 * in lower case, joined by dashes.
 */
export function definePlugin({ name, emit }: Omit<Plugin, 'kit'>): Plugin {
  if (!/^[a-z][a-z\d]*(?:-[a-z\d]+)*$/.test(name))
    throw new TypeError(
      `${JSON.stringify(name)} is not a name for a plugin: use words in lower case, joined by dashes.`,
    )
  return { kit: kitVersion, name, emit }
}
