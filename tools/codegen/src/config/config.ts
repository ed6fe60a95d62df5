import type { DiscriminatorMode } from '../document/discriminators/tag-schemas.js'
import type { DateMode, Int64Mode } from '../emit/values/modes.js'
import type { OutputOptions } from '../emit/emitter.js'
import type { Plugin } from '../emit/plugin.js'
import type { ImportExtension } from '../pipeline/target.js'

/** The outputs of a document. Paths are relative to the configuration file. */
export type Settings = {
  /** The folder of the outputs: `OUT/types`, `OUT/zod`. Nothing else may stand in these. */
  readonly out?: string
  /**
   * The outputs to make, by their names, with their options. Default: those that the command makes
   * with `--out`.
   *
   * @example { types: true, zod: { flavour: 'mini' } }
   */
  readonly outputs?: Readonly<Record<string, boolean | OutputOptions>>
  /**
   * Outputs of other packages, each as a plugin, or as the name of a package or the path of a file
   * that exports one. `outputs: { NAME: false }` leaves one away.
   */
  readonly plugins?: readonly (Plugin | string)[]
  /** Overlay files (OpenAPI Overlay 1.0 to 1.2), in the order in which they change the document. */
  readonly overlays?: readonly string[]
  /** Only operations that one of these matches, such as `tag:pets`. Default: all. */
  readonly include?: readonly string[]
  /** No operation that one of these matches. */
  readonly exclude?: readonly string[]
  /** Leave away components that no operation needs, as filters do. Default: false. */
  readonly prune?: boolean
  /**
   * Request headers for a document at a URL, each with the environment variable that holds its
   * value. They go to the origin of the document alone.
   *
   * @example { authorization: 'API_AUTHORIZATION' }
   */
  readonly headersFromEnv?: Readonly<Record<string, string>>
  /** Whether a discriminator selects the schema of a value. Default: `json-schema`, it does not. */
  readonly discriminator?: DiscriminatorMode
  /**
   * How imports of generated files end: `ts` is for Node without a compiler, `none` for some
   * bundlers. Default: `js`.
   */
  readonly importExtension?: ImportExtension
  /**
   * What types, validators and client have for a text of `format: date-time`: the text, a Date or a
   * `Temporal.Instant`. With `temporal`, `format: date` is a `Temporal.PlainDate`. The client
   * converts in both directions. Default: `text`.
   */
  readonly dates?: DateMode
  /**
   * What types, validators and client have for a whole number of `format: int64`. With `bigint`,
   * the client reads and writes each digit. Default: `number`.
   */
  readonly int64?: Int64Mode
  /** Follow references to other folders and to URLs. Default: false. */
  readonly allowRefs?: boolean
  /** Refuse a document with any fault, instead of leaving out what has one. Default: false. */
  readonly strict?: boolean
}

/** One document, with the settings in which it differs from the others. */
export type DocumentSettings = Settings & {
  /** A file, or an http URL. */
  readonly spec: string
}

/** What `farebox.config.ts` exports. */
export type Config = Settings & {
  /**
   * The documents of one run. Settings beside this list are for each document that has none of its
   * own. Default: `spec/openapi.yaml`.
   */
  readonly documents?: readonly DocumentSettings[]
}

/** Gives a configuration its type, and returns it as it is. */
export function defineConfig(config: Config): Config {
  return config
}
