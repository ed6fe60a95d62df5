import type { Api } from '../ir/api.js'
import type { Json, Origin } from '../ir/schema.js'
import type { SourceFile } from './source-file.js'
import type { ValueModes } from './values/modes.js'

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
  /** What a runtime file is for an API. Default: the file as it is. */
  readonly adapt?: (api: Api, text: string) => string
  /**
   * Made in this repository and when `--only` names it, but not by a plain `--out`: few users need
   * it, or it needs more packages than zod.
   */
  readonly optional?: true
  /** The settings of values that it follows. Others have all values as JSON has them. */
  readonly converts?: readonly (keyof ValueModes)[]
  /** The outputs that its files import. */
  readonly needs?: readonly string[]
  /**
   * Packages of npm that its users have: `init` writes it into the configuration of a project that
   * depends on one of them. Default: that of every project, unless it is `optional`.
   */
  readonly suits?: readonly string[]
  /** The names of its options with their values. The first value is the default. */
  readonly options?: Readonly<Record<string, readonly string[]>>
  /** The same output with some options. */
  readonly configure?: (options: OutputOptions) => DocumentEmitter
  readonly emit: (api: Api) => readonly SourceFile[]
  /** What the document asks of the output and it does not understand. */
  readonly misread?: (api: Api) => readonly Misread[]
}

/** What stands below an origin, by the segments of its pointer, and what should. */
export type Misread = {
  readonly origin: Origin
  readonly at: readonly string[]
  readonly found: Json
  readonly expected: string
}

/** Options of an output by name, as a configuration has them. */
export type OutputOptions = Readonly<Record<string, string>>

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
  /** What to throw for an error in its files. Default: the error. */
  readonly rethrow?: (error: unknown, api: Api) => Error
  readonly emit: (api: Api, document: LoadedDocument) => readonly SourceFile[]
}
