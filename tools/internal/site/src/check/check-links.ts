import type { PageReport } from './check-page.js'

/**
 * Each link within the site leads to a page or to the Markdown of one, which `checkMarkdown` reads,
 * and each anchor to an element of it.
 */
export function checkLinks(pages: readonly PageReport[], origin: string): readonly string[] {
  const idsOf = new Map(
    pages.flatMap(({ path, ids, shown: { markdown } }) => {
      const known = new Set(ids)
      return [path, ...(markdown === undefined ? [] : [new URL(markdown).pathname])].map(
        (name) => [name, known] as const,
      )
    }),
  )
  return pages.flatMap(({ path, hrefs }) => faultsOfLinks(path, hrefs, origin, idsOf))
}

export function faultsOfLinks(
  path: string,
  hrefs: readonly string[],
  origin: string,
  idsOf: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  return hrefs
    .flatMap((href) => checkLink(href, origin, idsOf) ?? [])
    .map((fault) => `${path} links to ${fault}`)
}

function checkLink(
  href: string,
  origin: string,
  idsOf: ReadonlyMap<string, ReadonlySet<string>>,
): string | undefined {
  if (!URL.canParse(href)) return `${href}, which is no address`
  const { origin: to, pathname, hash } = new URL(href)
  if (to !== origin) return undefined
  const ids = idsOf.get(decodeURIComponent(pathname))
  if (ids === undefined) return `${pathname}, which is not there`
  return hash.length > 1 && !ids.has(decodeURIComponent(hash.slice(1)))
    ? `${pathname}${hash}: no such anchor`
    : undefined
}
