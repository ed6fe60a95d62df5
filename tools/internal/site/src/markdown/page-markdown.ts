import { tables } from '@joplin/turndown-plugin-gfm'
import TurndownService from 'turndown'

const service = new TurndownService({
  headingStyle: 'atx',
  bulletListMarker: '-',
  emDelimiter: '_',
})
service.use(tables)
service.addRule('code', { filter: 'pre', replacement: (_, node) => `\n\n${printFence(node)}\n\n` })

// turndown leaves `<`, which Markdown reads as HTML
const escape = service.escape.bind(service)
service.escape = (text) => escape(text).replaceAll('<', String.raw`\<`)

/**
 * Converts a built page to Markdown: its title, its description and its content. Links to pages lead
 * to their Markdown. Returns undefined if the page has no content.
 */
export function toMarkdown(page: Document, base: string): string | undefined {
  const content = page.querySelector('.sl-markdown-content')
  // this DOM returns undefined where the types say null
  if (!content) return undefined
  toPlainHtml(content)
  for (const link of queryAll(content, 'a[href]'))
    link.setAttribute('href', toMarkdownAddress(link.getAttribute('href') ?? '', base))
  const text = service.turndown(content as HTMLElement).replaceAll(/^[ \t]+$/gm, '')
  return `# ${readTitle(page)}\n\n> ${readDescription(page)} All pages: \`${base}llms.txt\`\n\n${text}\n`
}

function readTitle(page: Document): string {
  return page.querySelector('h1')?.textContent.trim() ?? ''
}

export function readDescription(page: Document): string {
  return page.querySelector('meta[name=description]')?.getAttribute('content') ?? ''
}

/** The address of a page's Markdown: `/guides/video.md` for `/guides/video/`. */
export function toMarkdownAddress(href: string, base: string): string {
  const rest = href.startsWith(base) && !href.startsWith('//') ? href.slice(base.length) : undefined
  const [whole, path = 'index', hash = ''] = /^(?:(.+)\/)?(#.*)?$/.exec(rest ?? '?') ?? []
  return whole === undefined ? href : `${base}${path}.md${hash}`
}

function printFence(block: Node): string {
  const code = (block.textContent ?? '').trimEnd()
  const attribute = (name: string) =>
    ('getAttribute' in block ? (block as Element).getAttribute(name) : null) ?? ''
  const title = attribute('data-title')
  // a fence must be longer than any fence within the code
  const longest = Math.max(2, ...[...code.matchAll(/^`{3,}/gm)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${attribute('data-language')}${title === '' ? '' : ` title="${title}"`}\n${code}\n${fence}`
}

/** Useless in plain text. `data-browser-only` marks the parts that need a browser. */
const dropped =
  'script, style, link, .sl-anchor-link, .starlight-aside__icon, [role=tablist], [data-browser-only]'

/**
 * Replaces the components of a page by elements that Markdown has: tabs, asides, diagrams, code frames,
 * lists of facts and of fields.
 */
function toPlainHtml(content: Element): void {
  // the labels of tabs are in the list of tabs, which is dropped
  changeEach(content, '[role=tabpanel]', (panel) => {
    const label = content.querySelector(`#${panel.getAttribute('aria-labelledby')}`)
    panel.before(createParagraph(panel, readText(label)))
  })
  changeEach(content, dropped, (element) => element.remove())
  changeEach(content, '.expressive-code', (frame) => frame.replaceWith(createCodeBlock(frame)))
  changeEach(content, 'figure.diagram', (figure) => {
    const parts = ['desc', 'figcaption'].map((name) => readText(figure.querySelector(name)))
    figure.replaceWith(createElement(figure, 'p', parts.join(' ')))
  })
  changeEach(content, 'th br, td br', (lineBreak) => lineBreak.replaceWith(' '))
  changeEach(content, '.starlight-aside__title, summary', (title) =>
    title.replaceWith(createParagraph(title, readText(title))),
  )
  changeEach(content, 'aside', (aside) => rename(aside, 'blockquote'))
  changeEach(content, 'dl > div', replaceFact)
  changeEach(content, 'dl', (list) => rename(list, 'ul'))
  changeEach(content, 'p.field', replaceField)
  changeEach(content, 'p.endpoint, p.values, p.verdicts, p.media, details', separateItems)
}

/** Converts highlighted code to a `pre` with its language and title. */
function createCodeBlock(frame: Element): Element {
  const lines = queryAll(frame, '.ec-line .code').map((line) => line.textContent.replace(/\n$/, ''))
  const block = createElement(frame, 'pre', lines.join('\n'))
  block.setAttribute(
    'data-language',
    frame.querySelector('pre')?.getAttribute('data-language') ?? '',
  )
  block.setAttribute('data-title', readText(frame.querySelector('.title')))
  return block
}

function replaceFact(fact: Element): void {
  const [term, ...details] = Array.from(fact.children)
  const values = details.flatMap(({ childNodes }) => Array.from(childNodes))
  fact.replaceWith(
    createElement(fact, 'li', createElement(fact, 'strong', readText(term)), ': ', ...values),
  )
}

/** Prints the labels behind the name of a field: `name (string, required)`. */
function replaceField(field: Element): void {
  const [name, ...labels] = Array.from(field.children)
  for (const { lastChild } of labels) if (lastChild?.textContent?.trim() === '') lastChild.remove()
  const listed = labels.flatMap((label, index) => [index === 0 ? ' (' : ', ', label])
  field.replaceWith(
    createElement(
      field,
      'p',
      createElement(field, 'code', readText(name)),
      ...listed,
      labels.length === 0 ? '' : ')',
    ),
  )
}

/** Separates elements that only a style sheet separates: equal ones by commas, others by spaces. */
function separateItems(list: Element): void {
  for (const item of queryAll(list, 'code, span')) {
    const { nextSibling: after, nextElementSibling: next } = item
    if (after === null || next === null || (after !== next && after.textContent?.trim() !== ''))
      continue
    item.after(next.tagName === item.tagName ? ', ' : ' ')
  }
}

/** Returns an array, because node lists of this DOM are not iterable. */
export function queryAll(element: ParentNode, selector: string): readonly Element[] {
  return Array.from(element.querySelectorAll(selector))
}

function changeEach(content: Element, selector: string, change: (element: Element) => void): void {
  for (const found of queryAll(content, selector)) change(found)
}

function rename(from: Element, tag: string): void {
  from.replaceWith(createElement(from, tag, ...Array.from(from.childNodes)))
}

function createParagraph(near: Element, words: string): Element {
  return createElement(near, 'p', createElement(near, 'strong', words))
}

function createElement(
  near: Element,
  tag: string,
  ...children: readonly (ChildNode | string)[]
): Element {
  const created = near.ownerDocument.createElement(tag)
  for (const child of children)
    created.appendChild(
      typeof child === 'string' ? near.ownerDocument.createTextNode(child) : child,
    )
  return created
}

function readText(element: Element | null | undefined): string {
  return (element?.textContent ?? '').trim().replaceAll(/\s+/g, ' ')
}
