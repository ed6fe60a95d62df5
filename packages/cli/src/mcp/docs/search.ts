import type { DocsPage } from './pages.js'

export type FoundPage = { readonly page: DocsPage; readonly excerpt: string }

/** What a word counts in each part of a page. */
const weights = { title: 6, words: 5, path: 4, description: 3, text: 1 } as const

/** Words of questions, which say nothing about the page. */
const ignored = new Set(
  'a an and are be can do does for from get how i in is it make my of on or the to use what when where which with you your'.split(
    ' ',
  ),
)

/** How soon a word that is repeated counts no more, and how much long pages count less (BM25). */
const saturation = 1.2
const lengthPenalty = 0.6

type Search = (query: string, most: number) => readonly FoundPage[]

/** A search over the pages, best first. It ranks by BM25, with titles above text. */
export function searchPages(pages: readonly DocsPage[]): Search {
  const indexed = pages.map((page) => ({ page, counts: countWords(page) }))
  const lengths = indexed.map(({ counts }) => sum(counts.values()))
  const mean = sum(lengths) / Math.max(1, lengths.length)
  const rarity = (word: string): number => {
    const holding = indexed.filter(({ counts }) => counts.has(word)).length
    return Math.log(1 + (indexed.length - holding + 0.5) / (holding + 0.5))
  }
  return (query, most) => {
    const words = new Set(listWords(query).filter((word) => !ignored.has(word)))
    const rarities = [...words].map((word) => [word, rarity(word)] as const)
    return indexed
      .map(({ page, counts }, index) => {
        const norm = 1 - lengthPenalty + (lengthPenalty * (lengths[index] ?? mean)) / mean
        const score = sum(
          rarities.map(([word, rare]) => {
            const count = counts.get(word) ?? 0
            return (rare * count * (saturation + 1)) / (count + saturation * norm)
          }),
        )
        return { page, score }
      })
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score)
      .slice(0, most)
      .map(({ page }) => ({ page, excerpt: excerpt(page.text, words) }))
  }
}

function countWords(page: DocsPage): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const [part, weight] of Object.entries(weights))
    for (const word of listWords(page[part as keyof typeof weights]))
      counts.set(word, (counts.get(word) ?? 0) + weight)
  return counts
}

/** Words in one form: lower case, camelCase apart, without the endings of English. */
function listWords(text: string): readonly string[] {
  return (
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.map((word) => (word.length > 4 ? word.replace(/(?:ing|ed|es|s|e)$/, '') : word)) ?? []
  )
}

/** The paragraph that has most of the words. */
function excerpt(text: string, words: ReadonlySet<string>): string {
  const paragraphs = text
    .split(/\n{2,}/)
    .filter((paragraph) => !/^(?:#|>|```|\|)/.test(paragraph))
    .map((paragraph) => ({
      paragraph,
      hits: new Set(listWords(paragraph).filter((word) => words.has(word))).size,
    }))
  const [best] = paragraphs.toSorted((one, other) => other.hits - one.hits)
  const line = (best?.paragraph ?? '').replaceAll(/\s+/g, ' ')
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}

function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const number of numbers) total += number
  return total
}
