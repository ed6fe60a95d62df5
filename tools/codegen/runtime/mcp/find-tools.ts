import type { Tool } from './toolbox.js'

export type FoundTool = { readonly name: string; readonly title?: string; readonly route: string }

/** The tools that match most words of a query, best first, at most twenty. */
export function findTools(
  tools: readonly Tool[],
  routes: Readonly<Record<string, string>>,
  query: unknown,
): readonly FoundTool[] {
  const words = typeof query === 'string' ? splitWords(query) : []
  const scored = tools.map((tool) => {
    const route = routes[tool.name] ?? ''
    const places: readonly (readonly [weight: number, words: readonly string[]])[] = [
      [4, splitWords(tool.name)],
      [3, splitWords(tool.title ?? '')],
      [2, splitWords(route)],
      [1, splitWords(tool.description ?? '')],
    ]
    const scores = words.map((word) =>
      Math.max(0, ...places.map(([weight, found]) => weight * matchWord(found, word))),
    )
    const sum = scores.reduce((total, score) => total + score, 0)
    const all = scores.every((score) => score > 0)
    // of two that have all words, the one that says less beside them
    const score = sum * (all ? 2 : 1) - splitWords(tool.name).length / 100
    return {
      found: { name: tool.name, ...(tool.title !== undefined && { title: tool.title }), route },
      sum,
      score,
    }
  })
  return scored
    .filter(({ sum }) => words.length === 0 || sum > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 20)
    .map(({ found }) => found)
}

function matchWord(found: readonly string[], word: string): number {
  if (found.some((one) => toSingular(one) === toSingular(word))) return 1
  // `repos` and `repository`
  const isNear = (one: string): boolean =>
    word.length > 2 && one.length > 2 && (one.startsWith(word) || word.startsWith(one))
  return found.some(isNear) ? 0.7 : 0
}

/** `issue` of `issues`. */
function toSingular(word: string): string {
  return word.length > 3 ? word.replace(/s$/, '') : word
}

function splitWords(text: string): readonly string[] {
  const spaced = text.replaceAll(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ')
  return spaced.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
