import type { PageReport } from './check-page.js'

/** Each link within the site leads to a page that exists, and each anchor to an element of it. */
export function checkLinks(pages: readonly PageReport[], origin: string): readonly string[] {
  const idsOf = new Map(pages.map(({ path, ids }) => [path, new Set(ids)]))
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
