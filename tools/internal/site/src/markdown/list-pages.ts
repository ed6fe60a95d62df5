import { markdownAddress } from './page-markdown.js'
import { all } from './plain-html.js'

export type ListedPage = {
  readonly title: string
  /** Of its Markdown. */
  readonly address: string
  readonly description: string
}
export type PageGroup = { readonly title: string; readonly pages: readonly ListedPage[] }

/** Pages that a reader may skip. */
export const optional = 'Optional'

/**
 * The pages in the groups of the sidebar. Lists of exports, which repeat what their packages say,
 * stand in a group at the end.
 */
export function listPages(
  page: Document,
  descriptions: ReadonlyMap<string, string>,
  base: string,
): readonly PageGroup[] {
  const groups = all(page, '#starlight__sidebar ul.top-level > li').map((group) => ({
    title: readText(group.querySelector('summary')),
    pages: all(group, 'a[href]').map((link) => readPage(link, descriptions, base)),
  }))
  return [
    ...groups.map(({ title, pages }) => ({
      title,
      pages: pages.filter((one) => !isOptional(one)),
    })),
    { title: optional, pages: groups.flatMap(({ pages }) => pages).filter(isOptional) },
  ]
}

function isOptional({ description }: ListedPage): boolean {
  return / exports\.$|^The (?:types|functions and classes) of /.test(description)
}

function readPage(
  link: Element,
  descriptions: ReadonlyMap<string, string>,
  base: string,
): ListedPage {
  const address = markdownAddress(link.getAttribute('href') ?? '', base)
  const description = descriptions.get(address)
  if (description === undefined)
    throw new Error(`The sidebar links to ${address}, and no page has this Markdown.`)
  return { title: readText(link.querySelector('span')), address, description }
}

function readText(element: Element | null): string {
  return (element?.textContent ?? '').trim()
}
