import type { Api } from '../ir/api.js'
import type { SourceFile } from './source-file.js'

/** An output: a pure function from the API to files. Writing, comparing and removing them is `generate`'s. */
export type Emitter = {
  /** What `--only` calls it, and the folder it fills under `--out`. */
  readonly name: string
  /** The directory it owns in this repository, and empties before each run. */
  readonly into: `packages/${string}/src/${'' | `${string}/`}generated`
  /** Hand-written files, by their paths from `tools/codegen/runtime/`, that go along verbatim, below the banner, into the directory itself. */
  readonly runtime?: readonly string[]
  /** Whether only those declarations of the runtime go along that the emitted files use. Default: all of them. */
  readonly runtimeByNeed?: true
  /** Made in this repository and wherever `--only` names it, but not by a plain `--out`: few need it, or it needs more than zod and openapi-fetch. */
  readonly optional?: true
  readonly emit: (api: Api) => readonly SourceFile[]
}
