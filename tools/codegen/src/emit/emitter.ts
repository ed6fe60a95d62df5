import type { Api } from '../ir/api.js'
import type { Json } from '../ir/schema.js'
import type { SourceFile } from './source-file.js'

/** An output: a pure function from the API model to files, which `generate` writes. */
export type Emitter = {
  /** The name for `--only`, and of the folder under `--out`. */
  readonly name: string
  /** The directory it owns in this repository, and empties before each run. */
  readonly into: `packages/${string}/src/${'' | `${string}/`}generated`
  /**
   * Hand-written files to copy into the directory, by their paths from `tools/codegen/runtime/`.
   */
  readonly runtime?: readonly string[]
  /** Copy only the runtime declarations that the emitted files use. Default: whole files. */
  readonly runtimeByNeed?: true
  /**
   * Made in this repository and when `--only` names it, but not by a plain `--out`: few users need
   * it, or it needs more packages than zod.
   */
  readonly optional?: true
  readonly emit: (api: Api) => readonly SourceFile[]
}

/** What an output reads that prints OpenAPI itself. No other output sees a document. */
export type LoadedDocument = {
  /** Its files joined into one. */
  readonly root: Json
  /**
   * `paths`, `components` and `operations` as types. `schemas` gives the type of each component
   * schema by its key.
   */
  readonly printPaths: (schemas: ReadonlyMap<string, string>) => string
}

/** An output that cannot be made from the model alone. */
export type DocumentEmitter = Omit<Emitter, 'emit'> & {
  readonly emit: (api: Api, document: LoadedDocument) => readonly SourceFile[]
}
