const longest = 240
/** The synthesizer needs quadratic time for longer words. */
const longestWord = /\S{32}(?=\S)/gu

/**
 * The sentences with letters or digits. Long ones are cut at a space, so that the first sound is
 * early.
 */
export function sentencesOf(text: string): readonly string[] {
  const segments = [...new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)].map(({ segment }) =>
    segment.trim().replaceAll(longestWord, '$& '),
  )
  return segments.filter((sentence) => /[\p{L}\p{N}]/u.test(sentence)).flatMap(cut)
}

function cut(sentence: string): string[] {
  const parts: string[] = []
  let rest = sentence
  while (rest.length > longest) {
    const space = rest.lastIndexOf(' ', longest)
    const end = space > 0 ? space : longest
    parts.push(rest.slice(0, end))
    rest = rest.slice(end).trim()
  }
  return [...parts, rest]
}
