/** No use to a reader of text. `data-browser-only` marks the parts that need a browser. */
const dropped =
  'script, style, link, .sl-anchor-link, .starlight-aside__icon, [role=tablist], [data-browser-only]'

/**
 * Turns the components of a page into elements that have a form in Markdown: tabs, asides,
 * diagrams, code frames, lists of facts and of fields.
 */
export function toPlainHtml(content: Element): void {
  // labels of tabs stand in the list of tabs, which is dropped
  each(content, '[role=tabpanel]', (panel) => {
    const label = content.querySelector(`#${panel.getAttribute('aria-labelledby')}`)
    panel.before(paragraph(panel, readText(label)))
  })
  each(content, dropped, (element) => element.remove())
  each(content, '.expressive-code', (frame) => frame.replaceWith(codeBlock(frame)))
  each(content, 'figure.diagram', (figure) => {
    const parts = ['desc', 'figcaption'].map((name) => readText(figure.querySelector(name)))
    figure.replaceWith(element(figure, 'p', parts.join(' ')))
  })
  each(content, 'th br, td br', (lineBreak) => lineBreak.replaceWith(' '))
  each(content, '.starlight-aside__title, summary', (title) =>
    title.replaceWith(paragraph(title, readText(title))),
  )
  each(content, 'aside', (aside) => rename(aside, 'blockquote'))
  each(content, 'dl > div', factToItem)
  each(content, 'dl', (list) => rename(list, 'ul'))
  each(content, 'p.field', fieldToText)
  each(content, 'p.endpoint, p.values, p.verdicts, p.media, details', separateItems)
}

/** Code as `pre` with its language and title. Colours put each line into elements of its own. */
function codeBlock(frame: Element): Element {
  const lines = all(frame, '.ec-line .code').map((line) => line.textContent.replace(/\n$/, ''))
  const block = element(frame, 'pre', lines.join('\n'))
  block.setAttribute(
    'data-language',
    frame.querySelector('pre')?.getAttribute('data-language') ?? '',
  )
  block.setAttribute('data-title', readText(frame.querySelector('.title')))
  return block
}

function factToItem(fact: Element): void {
  const [term, ...details] = Array.from(fact.children)
  const values = details.flatMap(({ childNodes }) => Array.from(childNodes))
  fact.replaceWith(element(fact, 'li', element(fact, 'strong', readText(term)), ': ', ...values))
}

/** `name (string, required)`: what stands behind the name are labels without text between them. */
function fieldToText(field: Element): void {
  const [name, ...labels] = Array.from(field.children)
  for (const { lastChild } of labels) if (lastChild?.textContent?.trim() === '') lastChild.remove()
  const listed = labels.flatMap((label, index) => [index === 0 ? ' (' : ', ', label])
  field.replaceWith(
    element(
      field,
      'p',
      element(field, 'code', readText(name)),
      ...listed,
      labels.length === 0 ? '' : ')',
    ),
  )
}

/** Commas between equal elements, spaces between others, where a style sheet keeps them apart. */
function separateItems(list: Element): void {
  for (const item of all(list, 'code, span')) {
    const { nextSibling: after, nextElementSibling: next } = item
    if (after === null || next === null || (after !== next && after.textContent?.trim() !== ''))
      continue
    item.after(next.tagName === item.tagName ? ', ' : ' ')
  }
}

/** The lists of the DOM that turndown uses cannot be iterated. */
export function all(element: ParentNode, selector: string): readonly Element[] {
  return Array.from(element.querySelectorAll(selector))
}

function each(content: Element, selector: string, change: (element: Element) => void): void {
  for (const found of all(content, selector)) change(found)
}

function rename(from: Element, tag: string): void {
  from.replaceWith(element(from, tag, ...Array.from(from.childNodes)))
}

function paragraph(near: Element, words: string): Element {
  return element(near, 'p', element(near, 'strong', words))
}

function element(
  near: Element,
  tag: string,
  ...children: readonly (ChildNode | string)[]
): Element {
  const made = near.ownerDocument.createElement(tag)
  for (const child of children)
    made.appendChild(typeof child === 'string' ? near.ownerDocument.createTextNode(child) : child)
  return made
}

function readText(element: Element | null | undefined): string {
  return (element?.textContent ?? '').trim().replaceAll(/\s+/g, ' ')
}
