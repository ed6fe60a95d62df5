import type { Origin } from '../../ir/schema.js'

/** A schema that has no exact validator yet: said with its place, never emitted as a validator that takes anything. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported'

  constructor(
    readonly keyword: string,
    readonly origin: Origin,
  ) {
    super(`${origin.file}:${origin.line}:${origin.column} ${origin.pointer}: the zod output cannot express ${keyword} yet. Leave zod out with --only types,client.`)
  }
}
