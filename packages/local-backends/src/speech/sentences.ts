const longest = 240
/** The synthesizer needs quadratic time for longer words. */
const longestWord = /\S{32}(?=\S)/gu

/** A piece of a text that is spoken at once. */
export type Sentence = {
  /** Empty for silence. */
  readonly text: string
  /** Code points of the whole text that it stands for. */
  readonly characters: number
}

/**
 * The sentences of a text, one at least, which together stand for all its characters. Long ones are
 * cut at a space, so that the first sound is early. What has no letter or digit is not spoken.
 */
export function splitSentences(text: string): readonly Sentence[] {
  const sentences: Sentence[] = []
  let silent = 0
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)) {
    const characters = silent + Array.from(segment).length
    silent = 0
    const spoken = segment.trim().replaceAll(longestWord, '$& ')
    const last = sentences.at(-1)
    if (/[\p{L}\p{N}]/u.test(spoken)) sentences.push(...shared(cut(spoken), characters))
    else if (last)
      sentences[sentences.length - 1] = { ...last, characters: last.characters + characters }
    else silent = characters
  }
  return sentences.length > 0 ? sentences : [{ text: '', characters: silent }]
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

/** Each part stands for characters in proportion to its length. */
function shared(parts: readonly string[], characters: number): Sentence[] {
  const total = parts.reduce((sum, { length }) => sum + length, 0)
  let length = 0
  let before = 0
  return parts.map((text) => {
    length += text.length
    const upTo = Math.round((characters * length) / total)
    const sentence = { text, characters: upTo - before }
    before = upTo
    return sentence
  })
}
