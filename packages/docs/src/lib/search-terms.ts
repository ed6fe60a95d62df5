/** Words of questions that no page is about. The search looks for pages that have every word. */
const ignoredWords = new Set(
  'a an and are be can do does for from get how i in is it make mean my of on or the to use what when where which why with work works you your'.split(
    ' ',
  ),
)

/** The words of a question that a page can have; the question itself if it has no other. */
export function searchTerms(question: string): string {
  const words = question.split(/[\s?!,;]+/).filter((word) => word !== '')
  const keptWords = words.filter((word) => !ignoredWords.has(word.toLowerCase()))
  return (keptWords.length > 0 ? keptWords : words).join(' ')
}
