import { tables } from '@joplin/turndown-plugin-gfm'
import TurndownService from 'turndown'
import { all, toPlainHtml } from './plain-html.js'

const service = new TurndownService({
  headingStyle: 'atx',
  bulletListMarker: '-',
  emDelimiter: '_',
})
service.use(tables)
service.addRule('code', { filter: 'pre', replacement: (_, node) => `\n\n${fenced(node)}\n\n` })

// turndown leaves `<`, which Markdown reads as HTML
const escape = service.escape.bind(service)
service.escape = (text) => escape(text).replaceAll('<', String.raw`\<`)

/**
 * The Markdown of a built page: its title, its description, and what its components show. Links to
 * pages lead to their Markdown. `undefined` if the page has no content.
 */
export function pageMarkdown(page: Document, base: string): string | undefined {
  const content = page.querySelector('.sl-markdown-content')
  // this DOM answers undefined where the types say null
  if (!content) return undefined
  toPlainHtml(content)
  for (const link of all(content, 'a[href]'))
    link.setAttribute('href', markdownAddress(link.getAttribute('href') ?? '', base))
  const text = service.turndown(content as HTMLElement).replaceAll(/^[ \t]+$/gm, '')
  return `# ${readTitle(page)}\n\n> ${readDescription(page)} All pages: \`${base}llms.txt\`\n\n${text}\n`
}

export function readTitle(page: Document): string {
  return page.querySelector('h1')?.textContent.trim() ?? ''
}

export function readDescription(page: Document): string {
  return page.querySelector('meta[name=description]')?.getAttribute('content') ?? ''
}

/** Where the Markdown of a page is: `/guides/video/` has it at `/guides/video.md`. */
export function markdownAddress(href: string, base: string): string {
  const rest = href.startsWith(base) && !href.startsWith('//') ? href.slice(base.length) : undefined
  const [whole, path = 'index', hash = ''] = /^(?:(.+)\/)?(#.*)?$/.exec(rest ?? '?') ?? []
  return whole === undefined ? href : `${base}${path}.md${hash}`
}

function fenced(block: Node): string {
  const code = (block.textContent ?? '').trimEnd()
  const attribute = (name: string) =>
    ('getAttribute' in block ? (block as Element).getAttribute(name) : null) ?? ''
  const title = attribute('data-title')
  // a fence is longer than any within the code
  const longest = Math.max(2, ...[...code.matchAll(/^`{3,}/gm)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${attribute('data-language')}${title === '' ? '' : ` title="${title}"`}\n${code}\n${fence}`
}
