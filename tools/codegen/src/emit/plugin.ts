import type { Api } from '../ir/api.js'
import type { SourceFile } from './source-file.js'

/**
 * The version of the kit. A change after which an existing plugin would not compile or would write
 * something else raises it, and only that.
 */
export const kitVersion = 1

/** An output that another package brings. */
export type Plugin = {
  /** The kit that it was written with. */
  readonly kit: number
  /** The name for `--only` and `outputs`, and of its folder. */
  readonly name: string
  /** The files of the output. A pure function: the same model gives the same files. */
  readonly emit: (api: Api) => readonly SourceFile[]
}

/**
 * Makes a plugin, and notes for which version of the kit. Throws for a name that is not words in
 * lower case joined by dashes, as folders are named.
 */
export function definePlugin({ name, emit }: Omit<Plugin, 'kit'>): Plugin {
  if (!/^[a-z][a-z\d]*(?:-[a-z\d]+)*$/.test(name))
    throw new TypeError(`${JSON.stringify(name)} cannot name a plugin: write words in lower case, joined by dashes.`)
  return { kit: kitVersion, name, emit }
}
