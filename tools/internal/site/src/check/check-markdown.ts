import { findBrokenLinks, type PageReport } from './check-pages.js'

const codeBlock = /^( *)(`{3,})[^\n]*\n[^]*?\n\1\2$/gm
const codeSpan = /(`+)(?!`)[^]*?[^`]\1(?!`)/g
const markup = /(?<!\\)<[A-Za-z/!][^>]*>?|^(?:import|export) .*|\{\/\*/m

type Ids = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Checks that each page links to its Markdown, which has the same headings and code blocks and no
 * HTML; that `llms.txt` lists it; and that all their links lead to pages that exist.
 */
export async function checkMarkdown(
  pages: readonly PageReport[],
  origin: string,
  base: string,
): Promise<readonly string[]> {
  const described = pages.filter(({ path }) => !path.endsWith('/404.html'))
  const ids = new Map(described.map(({ shown, ids }) => [readPath(shown.markdown), new Set(ids)]))
  const faults = await Promise.all(described.map((page) => checkPageMarkdown(page, origin, ids)))

  const list = await fetchText(`${origin}${base}llms.txt`)
  const links = listLinks(list, `${origin}${base}`)
  const paths = new Set(links.map(readPath))
  const missing = [...ids.keys()].filter((path) => path !== `${base}index.md` && !paths.has(path))
  return [
    ...faults.flat(),
    ...missing.map((path) => `llms.txt does not list ${path}`),
    ...findBrokenLinks('llms.txt', links, origin, ids),
  ]
}

async function checkPageMarkdown(
  { path, shown }: PageReport,
  origin: string,
  ids: Ids,
): Promise<readonly string[]> {
  if (shown.markdown === undefined) return [`${path} has no link to its Markdown`]
  const text = await fetchText(shown.markdown)
  const prose = text.replaceAll(codeBlock, '').replaceAll(codeSpan, '')
  const codes = text.match(codeBlock)?.length ?? 0
  const headings = prose.match(/^#{2,3} /gm)?.length ?? 0
  const [match] = markup.exec(prose) ?? []
  const name = readPath(shown.markdown)
  return [
    ...(text === '' ? [`${name} does not exist`] : []),
    ...(codes === shown.codes
      ? []
      : [`${name} has ${codes} blocks of code, and its page ${shown.codes}`]),
    ...(headings === shown.headings
      ? []
      : [`${name} has ${headings} headings, and its page ${shown.headings}`]),
    ...(match === undefined ? [] : [`${name} has markup: ${match}`]),
    ...findBrokenLinks(name, listLinks(prose, shown.markdown), origin, ids),
  ]
}

/** The text of a file of the site. Empty if it does not exist. */
async function fetchText(address: string): Promise<string> {
  const response = await fetch(address)
  const text = await response.text()
  return response.ok ? text : ''
}

function listLinks(text: string, from: string): readonly string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, href = '']) =>
    URL.canParse(href, from) ? new URL(href, from).href : href,
  )
}

function readPath(address = ''): string {
  return URL.canParse(address) ? new URL(address).pathname : address
}
