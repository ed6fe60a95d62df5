import words from '../search-words.json'

const wordsOfPages: Readonly<Record<string, string>> = words

/**
 * How much the text of a page counts in the search, by its address: guides most, lists of exports
 * least, because they repeat every word.
 */
const weights = [
  [/^packages\/(?:.*-|zod-core)/, 0.1],
  [/^packages\//, 0.3],
  [/^reference\//, 0.6],
  [/^guides\/(?:add|write|change|vendored|generate)-/, 0.5],
  [/^api\//, 0.8],
] as const

export function findWeight(page: string): number {
  const [, weight] = weights.find(([pages]) => pages.test(page)) ?? [undefined, 1]
  return weight
}

/** Words that readers search for and that the page itself does not use. */
export function searchWords(page: string): string | undefined {
  return wordsOfPages[page]
}

/** `guides/video/`: the address of a page below the site's root. */
export function toPagePath(url: URL): string {
  return url.pathname.slice(import.meta.env.BASE_URL.replace(/\/?$/, '/').length)
}
