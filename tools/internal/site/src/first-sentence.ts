/** The first sentence of a text, in one line. */
export function firstSentence(text: string): string {
  return text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/^(.{20,}?[.:])\s.*$/, '$1')
    .replace(/:$/, '.')
}
