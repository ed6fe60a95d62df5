import { nearest } from '@farebox/command-line'

/** Whether two names are alike: two letters differ at most, or one has all words of the other. */
export function isSimilar(one: string, other: string): boolean {
  if (nearest(one, [other]) !== undefined) return true
  const [few, many] = [wordsOf(one), wordsOf(other)].toSorted((a, b) => a.length - b.length)
  return few !== undefined && many !== undefined && few.length > 0 && few.every((word) => many.includes(word))
}

/** `userName`, `user_name` and `user-name` have the same words. */
function wordsOf(name: string): readonly string[] {
  return (name.match(/\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu) ?? []).map((word) => word.toLowerCase())
}
