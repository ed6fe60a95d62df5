import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDocument } from '@mixmark-io/domino'
import { docs, root } from '../folders.js'
import { queryAll, readDescription, toMarkdown, toMarkdownAddress } from './page-markdown.js'

/**
 * Writes the Markdown of each page beside it, and files for programs: `llms.txt`, which lists the
 * pages, `llms-full.txt` with all of them, `skill.md`, the OpenAPI document, the catalog of the API,
 * and the pages that the `farebox` command includes. `base` is the path that the site was built for,
 * with slashes around it.
 */
export function writeMarkdown(folder: string, base: string, site: string | undefined): void {
  const descriptions = new Map<string, string>()
  const texts = new Map<string, string>()
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?:^|[/\\])index\.html$/.test(name),
  )
  for (const name of pages) {
    const page = createDocument(readFileSync(join(folder, name), 'utf8'))
    const address = toMarkdownAddress(
      base + name.replaceAll('\\', '/').replace(/index\.html$/, ''),
      base,
    )
    descriptions.set(address, readDescription(page))
    const markdown = toMarkdown(page, base)
    if (markdown === undefined) continue
    texts.set(address, markdown)
    writeFileSync(join(folder, address.slice(base.length)), markdown)
  }
  // the home page has no sidebar
  const listed = createDocument(readFileSync(join(folder, 'start/index.html'), 'utf8'))
  const groups = listPages(listed, descriptions, base)
  const summary = descriptions.get(`${base}index.md`) ?? ''
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write('llms.txt', printLlms(summary, groups, base))
  write('llms-full.txt', printLlmsFull(groups, texts, base))
  write('skill.md', printSkill(readFileSync(join(docs, 'skill.md'), 'utf8'), groups))
  write('openapi.json', readFileSync(join(docs, '.prepared/contract.json'), 'utf8'))
  // the pages in the package have the addresses of the published site
  if (base === '/') writeFileSync(docsPagesFile, printDocsPages(groups, texts, base))
  mkdirSync(join(folder, '.well-known'), { recursive: true })
  write('.well-known/api-catalog', printApiCatalog(base, site))
}

type ListedPage = {
  readonly title: string
  /** The address of its Markdown. */
  readonly address: string
  readonly description: string
}
type PageGroup = { readonly title: string; readonly pages: readonly ListedPage[] }

/** Pages that a reader may skip. */
const optional = 'Optional'

/**
 * Lists the pages in the groups of the sidebar. Lists of exports, which repeat what their packages
 * say, are in a group at the end.
 */
export function listPages(
  page: Document,
  descriptions: ReadonlyMap<string, string>,
  base: string,
): readonly PageGroup[] {
  const groups = queryAll(page, '#starlight__sidebar ul.top-level > li').map((group) => ({
    title: readText(group.querySelector('summary')),
    pages: queryAll(group, 'a[href]').map((link) => readPage(link, descriptions, base)),
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
  const address = toMarkdownAddress(link.getAttribute('href') ?? '', base)
  const description = descriptions.get(address)
  if (description === undefined)
    throw new Error(`The sidebar links to ${address}, and no page has this Markdown.`)
  return { title: readText(link.querySelector('span')), address, description }
}

function readText(element: Element | null): string {
  return (element?.textContent ?? '').trim()
}

/** Prints the list of pages for language models, in the format of llmstxt.org. */
export function printLlms(summary: string, groups: readonly PageGroup[], base: string): string {
  return [
    '# Farebox',
    `> ${summary}`,
    `Each page of this site is also Markdown: its address with \`.md\` in place of the last slash. All of them in one file: \`${base}llms-full.txt\`. Instructions for coding agents: \`${base}skill.md\`. The OpenAPI document: \`${base}openapi.json\`.`,
    ...groups.map(({ title, pages }) => `## ${title}\n\n${printItems(pages)}`),
    '',
  ].join('\n\n')
}

/** Prints all pages except the optional ones. */
export function printLlmsFull(
  groups: readonly PageGroup[],
  texts: ReadonlyMap<string, string>,
  base: string,
): string {
  const addresses = groups
    .filter(({ title }) => title !== optional)
    .flatMap(({ pages }) => pages.map(({ address }) => address))
  return [`${base}index.md`, ...addresses]
    .map((address) => `<!-- ${address} -->\n\n${texts.get(address) ?? ''}`)
    .join('\n')
}

/**
 * Prints the instructions for coding agents, followed by the list of guides.
 */
export function printSkill(instructions: string, groups: readonly PageGroup[]): string {
  const guides = groups.filter(({ pages }) =>
    pages.some(({ address }) => address.includes('/guides/')),
  )
  const lists = guides.map(({ title, pages }) => `### ${title}\n\n${printItems(pages)}`)
  return [instructions.trimEnd(), ...lists, ''].join('\n\n')
}

function printItems(pages: PageGroup['pages']): string {
  return pages
    .map(({ title, address, description }) => `- [${title}](${address}): ${description}`)
    .join('\n')
}

/** The documentation of `farebox mcp --docs`, which works without a network. */
export const docsPagesFile = join(root, 'packages/cli/docs/pages.json')

/**
 * Prints the pages for `packages/cli`, one per line, except the optional ones. `base` is the path that
 * the site was built for.
 */
function printDocsPages(
  groups: readonly PageGroup[],
  texts: ReadonlyMap<string, string>,
  base: string,
): string {
  const words = JSON.parse(readFileSync(join(docs, 'src/search-words.json'), 'utf8')) as Readonly<
    Record<string, string>
  >
  const lines = groups
    .filter(({ title }) => title !== optional)
    .flatMap(({ pages }) => pages)
    .map(({ title, address, description }) => {
      const path = address.slice(base.length).replace(/\.md$/, '')
      const text = texts.get(address) ?? ''
      return JSON.stringify({ path, title, description, words: words[`${path}/`] ?? '', text })
    })
  return `[\n${lines.join(',\n')}\n]\n`
}

/**
 * Prints the catalog of the API by RFC 9727: a link set (RFC 9264) with its document, its reference and
 * the list of pages. `site` is the address of the published site. Without it, links are relative to
 * the server.
 */
export function printApiCatalog(base: string, site: string | undefined): string {
  const address = (path: string) =>
    site === undefined ? base + path : new URL(base + path, site).href
  const set = {
    linkset: [
      {
        anchor: address('api/'),
        'service-desc': [
          { href: address('openapi.json'), type: 'application/vnd.oai.openapi+json' },
        ],
        'service-doc': [
          { href: address('api/'), type: 'text/html' },
          { href: address('api.md'), type: 'text/markdown' },
        ],
        'service-meta': [{ href: address('llms.txt'), type: 'text/plain' }],
      },
    ],
  }
  return `${JSON.stringify(set, null, 2)}\n`
}
