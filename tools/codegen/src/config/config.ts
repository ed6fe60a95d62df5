import type { Semantics } from '../document/semantics.js'
import type { DateMode, Int64Mode } from '../emit/values/converted.js'
import type { OutputOptions, Plugin } from '../emit/emitter.js'
import type { ImportExtension, Layout } from '../pipeline/target.js'

/** The outputs of a document. Paths are relative to the configuration file. */
export type Settings = {
  /**
   * The folder of the outputs: `OUT/types`, `OUT/zod`. Other files in these are deleted. Required,
   * here or as `--out`, except with `layout: 'packages'`.
   */
  readonly out?: string
  /**
   * `folder`: outputs are side by side in `out`. `packages`: each output is the package
   * `@farebox/NAME` in `packages/NAME`, as in the repository of Farebox; `out` takes precedence.
   * Default: `folder`.
   */
  readonly layout?: Layout
  /**
   * The outputs to generate, by name, with their options. Default: `types`, `zod` and `client`.
   *
   * @example { types: true, zod: { flavour: 'mini' } }
   */
  readonly outputs?: Readonly<Record<string, boolean | OutputOptions>>
  /**
   * Outputs of other packages, each as a plugin, or as the name of a package or the path of a file
   * that exports one. `outputs: { NAME: false }` leaves one out.
   */
  readonly plugins?: readonly (Plugin | string)[]
  /** Overlay files (OpenAPI Overlay 1.0 to 1.2), in the order in which they change the document. */
  readonly overlays?: readonly string[]
  /** Generate only operations that match one of these, such as `tag:pets`. Default: all. */
  readonly include?: readonly string[]
  /** Leave out operations that match one of these. */
  readonly exclude?: readonly string[]
  /** Leave out components that no operation needs, as filters do. Default: false. */
  readonly prune?: boolean
  /**
   * Request headers for a document at a URL, each with the environment variable that holds its
   * value. They are sent only to the origin of the document.
   *
   * @example { authorization: 'API_AUTHORIZATION' }
   */
  readonly headersFromEnv?: Readonly<Record<string, string>>
  /**
   * How schemas are read: `openapi`, as authors of OpenAPI documents mean them (a discriminator
   * selects the schema of a value, and `properties` without a `type` describe an object), or
   * `json-schema`, to the letter of JSON Schema. Default: `openapi`.
   */
  readonly semantics?: Semantics
  /** The same for discriminators alone. Default: `semantics`. */
  readonly discriminator?: Semantics
  /**
   * The extension of relative imports: `ts` is for Node without a compiler, `none` for some
   * bundlers. Default: `js`.
   */
  readonly importExtension?: ImportExtension
  /**
   * How types, validators and client represent a `format: date-time`: a string, a Date or a
   * `Temporal.Instant`. With `temporal`, `format: date` is a `Temporal.PlainDate`. The client
   * converts in both directions. Default: `text`.
   */
  readonly dates?: DateMode
  /**
   * How types, validators and client represent an integer of `format: int64`. With `bigint`, the
   * client loses no digit. Default: `number`.
   */
  readonly int64?: Int64Mode
  /** Follow references to other folders and to URLs. Default: false. */
  readonly allowRefs?: boolean
  /** Reject a document with any error, instead of leaving out the faulty part. Default: false. */
  readonly strict?: boolean
}

/** A document, and its own settings. */
export type DocumentSettings = Settings & {
  /** A file, or an http URL. */
  readonly spec: string
}

/** What `farebox.config.ts` exports. */
export type Config = Settings & {
  /**
   * The documents of one run. Settings beside this list apply to each document that does not have
   * its own. Default: `spec/openapi.yaml`.
   */
  readonly documents?: readonly DocumentSettings[]
}

/** Returns the configuration unchanged. Gives it its type. */
export function defineConfig(config: Config): Config {
  return config
}
