/** A line and a column of a file, both from 1. */
export type Position = { readonly line: number; readonly column: number }

/** Finds the positions of values in a file, by the segments of their JSON pointers. */
export type Locate = (bytes: Uint8Array) => (segments: readonly string[]) => Position
