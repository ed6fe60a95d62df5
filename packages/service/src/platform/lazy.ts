/** A part that is created on first use. */
export type Lazy<Part> = {
  readonly get: () => Part
  /** Undefined when it was not used. */
  readonly made: () => Part | undefined
}

export function lazy<Part>(make: () => Part): Lazy<Part> {
  let part: Part | undefined
  return { get: () => (part ??= make()), made: () => part }
}
