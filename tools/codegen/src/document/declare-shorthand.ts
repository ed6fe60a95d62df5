/**
 * Names for types that a large document says thousands of times: the compiler reads each once. They are the very types that
 * openapi-typescript writes out, and stay within the file.
 */
export type Shorthands = {
  /** What to write in place of the type. */
  readonly use: (name: Shorthand) => string
  /** The declarations of those that were used. */
  readonly declarations: () => readonly string[]
}

export type Shorthand = keyof typeof meanings

const meanings = {
  Schemas: 'components["schemas"]',
  Responses: 'components["responses"]',
  Parameters: 'components["parameters"]',
  NoParameters: '{ query?: never; header?: never; path?: never; cookie?: never }',
  AnyHeaders: '{ [name: string]: unknown }',
} as const

export function shorthands(): Shorthands {
  const used = new Set<Shorthand>()
  return {
    use: (name) => {
      used.add(name)
      return name
    },
    declarations: () =>
      Object.entries(meanings).flatMap(([name, meaning]) => (used.has(name as Shorthand) ? [`type ${name} = ${meaning}`] : [])),
  }
}
