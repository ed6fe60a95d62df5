/** What was left out of a text, or changed in it. The list may grow. */
export type WarningCode =
  /** Pictures, whose text is not recognised. */
  | 'images_without_text'
  /** Pages of a PDF document that are empty or pictures. */
  | 'pages_without_text'
  /** Parts that the file refers to and does not have. */
  | 'missing_parts'
  /** Embedded files and parts of a type that is not read. */
  | 'unread_parts'
  /** Comments of reviewers. */
  | 'comments'
  /** Runs of text that the author has hidden. */
  | 'hidden_text'
  /** Characters of a symbol font without an equivalent in Unicode. */
  | 'unknown_symbols'
  /** Bytes that are not valid in the encoding of a plain text, each read as U+FFFD. */
  | 'invalid_bytes'

/** One kind of content that is not in the text, and how often it was met. */
export type Warning = { readonly code: WarningCode; readonly count: number }

/** Counts what is left out while a file is read. */
export type WarningCounter = {
  add(code: WarningCode, count?: number): void
  /** In the order in which the kinds were met. */
  list(): readonly Warning[]
}

export function createWarningCounter(): WarningCounter {
  const counts = new Map<WarningCode, number>()
  return {
    add(code, count = 1) {
      if (count > 0) counts.set(code, (counts.get(code) ?? 0) + count)
    },
    list: () => Array.from(counts, ([code, count]) => ({ code, count })),
  }
}
