import type { PageReport } from './check-page.js'
import { faultsOfLinks } from './check-links.js'

const codeBlock = /^( *)(`{3,})[^\n]*\n[^]*?\n\1\2$/gm
const codeSpan = /(`+)(?!`)[^]*?[^`]\1(?!`)/g
const markup = /(?<!\\)<[A-Za-z/!][^>]*>?|^(?:import|export) .*|\{\/\*/m

type Ids = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Each page names its Markdown, which has the page's headings and code and is free of markup;
 * `llms.txt` lists it; links of both lead to pages that exist.
 */
export async function checkMarkdown(
  pages: readonly PageReport[],
  origin: string,
  base: string,
): Promise<readonly string[]> {
  const described = pages.filter(({ path }) => !path.endsWith('/404.html'))
  const ids = new Map(described.map(({ shown, ids }) => [readPath(shown.markdown), new Set(ids)]))
  const faults = await Promise.all(described.map((page) => faultsOfPage(page, origin, ids)))

  const list = await textAt(`${origin}${base}llms.txt`)
  const listed = listLinks(list, `${origin}${base}`)
  const paths = new Set(listed.map(readPath))
  const missing = [...ids.keys()].filter((path) => path !== `${base}index.md` && !paths.has(path))
  return [
    ...faults.flat(),
    ...missing.map((path) => `llms.txt does not list ${path}`),
    ...faultsOfLinks('llms.txt', listed, origin, ids),
  ]
}

async function faultsOfPage(
  { path, shown }: PageReport,
  origin: string,
  ids: Ids,
): Promise<readonly string[]> {
  if (shown.markdown === undefined) return [`${path} names no Markdown`]
  const text = await textAt(shown.markdown)
  const prose = text.replaceAll(codeBlock, '').replaceAll(codeSpan, '')
  const codes = text.match(codeBlock)?.length ?? 0
  const headings = prose.match(/^#{2,3} /gm)?.length ?? 0
  const [found] = markup.exec(prose) ?? []
  const name = readPath(shown.markdown)
  return [
    ...(text === '' ? [`${name} is not there`] : []),
    ...(codes === shown.codes
      ? []
      : [`${name} has ${codes} blocks of code, and its page ${shown.codes}`]),
    ...(headings === shown.headings
      ? []
      : [`${name} has ${headings} headings, and its page ${shown.headings}`]),
    ...(found === undefined ? [] : [`${name} has markup: ${found}`]),
    ...faultsOfLinks(name, listLinks(prose, shown.markdown), origin, ids),
  ]
}

/** The text of a file of the site, empty if it is not there. */
async function textAt(address: string): Promise<string> {
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
