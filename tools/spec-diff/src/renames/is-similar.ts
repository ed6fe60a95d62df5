import { nearest } from '@farebox/command-line'

/** A name with its words, which are compared with those of many others. */
export type WordedName = { readonly text: string; readonly words: ReadonlySet<string> }

/** `userName`, `user_name` and `user-name` have the same words. */
export function wordedName(text: string): WordedName {
  const words = text.match(/\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu) ?? []
  return { text, words: new Set(words.map((word) => word.toLowerCase())) }
}

/** Whether two names are alike: two letters differ at most, or one has all words of the other. */
export function isSimilar(one: WordedName, other: WordedName): boolean {
  const [few, many] =
    one.words.size < other.words.size ? [one.words, other.words] : [other.words, one.words]
  return (
    (few.size > 0 && [...few].every((word) => many.has(word))) ||
    nearest(one.text, [other.text]) !== undefined
  )
}
