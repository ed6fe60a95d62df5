/** The names of fields of the flat input that the generator adds. */
export const inputWords = {
  /** A whole body. */
  whole: 'body',
  /** The fields of a body whose names are taken. */
  nested: 'requestBody',
  /** The media type of a body, if it has several. */
  choice: 'contentType',
} as const
