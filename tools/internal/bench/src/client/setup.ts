export type Setup = {
  /** A folder with the packed packages in its node_modules. */
  readonly place: string
  /** The ESM entry of openai. */
  readonly openai: string
  /** Keeps the tables for the site. */
  readonly save: boolean
}

/** What a target says: `found` may be at most `most`. */
export type Limit = { readonly what: string; readonly found: number; readonly most: number }
