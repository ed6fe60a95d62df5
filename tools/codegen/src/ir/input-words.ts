/** What the generator itself calls a field of the flat input. */
export const inputWords = {
  /** A body as a whole. */
  whole: 'body',
  /** The fields of a body whose names are taken. */
  nested: 'requestBody',
  /** Which of several media types a body has. */
  choice: 'contentType',
} as const
