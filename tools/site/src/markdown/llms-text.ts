import { markdownAddress } from './page-markdown.js'
import { all } from './plain-html.js'

/**
 * The list of pages for language models, in the form of llmstxt.org: the groups of the sidebar,
 * with the description of each page. Lists of exports stand under "Optional", which a reader may
 * skip.
 */
export function llmsText(
  page: Document,
  descriptions: ReadonlyMap<string, string>,
  base: string,
): string {
  const groups = all(page, '#starlight__sidebar ul.top-level > li').map((group) => ({
    title: readText(group.querySelector('summary')),
    pages: all(group, 'a[href]').map((link) => entry(link, descriptions, base)),
  }))
  const isOptional = ({ text }: Entry): boolean => text.endsWith(' exports.')
  const sections = [
    ...groups.map(({ title, pages }) => ({
      title,
      pages: pages.filter((one) => !isOptional(one)),
    })),
    { title: 'Optional', pages: groups.flatMap(({ pages }) => pages).filter(isOptional) },
  ]
  return [
    '# Farebox',
    `> ${descriptions.get(`${base}index.md`)}`,
    'Each page of this site is also Markdown: its address with `.md` in place of the last slash.',
    ...sections.map(
      ({ title, pages }) => `## ${title}\n\n${pages.map(({ line }) => line).join('\n')}`,
    ),
    '',
  ].join('\n\n')
}

type Entry = { readonly text: string; readonly line: string }

function entry(link: Element, descriptions: ReadonlyMap<string, string>, base: string): Entry {
  const address = markdownAddress(link.getAttribute('href') ?? '', base)
  const text = descriptions.get(address)
  if (text === undefined)
    throw new Error(`The sidebar links to ${address}, and no page has this Markdown.`)
  return { text, line: `- [${readText(link.querySelector('span'))}](${address}): ${text}` }
}

function readText(element: Element | null): string {
  return (element?.textContent ?? '').trim()
}
