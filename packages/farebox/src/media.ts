/** A response of bytes, such as audio or video. */
export type Media = Response & {
  /**
   * Writes the body to a file, as it arrives (Node, Bun, Deno). A file that is complete replaces
   * one of that name; a body that breaks off leaves none.
   */
  readonly saveTo: (path: string) => Promise<void>
}
