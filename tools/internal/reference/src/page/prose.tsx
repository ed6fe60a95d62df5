type Props = { readonly text: string }

/** Markdown of the contract as paragraphs and lists. */
export function Prose({ text }: Props) {
  return <div dangerouslySetInnerHTML={{ __html: renderMarkdown(text) }} />
}

/** A description in one paragraph, for `dangerouslySetInnerHTML`. */
export function inlineHtml(text: string): { readonly __html: string } {
  return { __html: renderInline(text.trim().replaceAll(/\s*\n\s*/g, ' ')) }
}

/** Escapes text for HTML and its attributes. */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Renders the Markdown of the contract: headings, paragraphs, lists, code and bold. */
export function renderMarkdown(text: string, headingLevel = 3): string {
  const html: string[] = []
  let paragraph: string[] = []
  let list: { readonly tag: 'ul' | 'ol'; readonly items: string[] } | undefined
  const flush = () => {
    if (paragraph.length > 0) html.push(`<p>${renderInline(paragraph.join(' '))}</p>`)
    if (list)
      html.push(
        `<${list.tag}>${list.items.map((item) => `<li>${renderInline(item)}</li>`).join('')}</${list.tag}>`,
      )
    paragraph = []
    list = undefined
  }
  for (const line of text.split('\n')) {
    const [, marks, heading] = /^(#+) (.*)$/.exec(line) ?? []
    const [, bullet, item] = /^(?:(-)|\d+\.) (.*)$/.exec(line) ?? []
    if (line.trim() === '') flush()
    else if (heading !== undefined) {
      flush()
      const level = Math.min(6, headingLevel + (marks?.length ?? 2) - 2)
      html.push(`<h${level}>${renderInline(heading)}</h${level}>`)
    } else if (item !== undefined) {
      const tag = bullet === undefined ? 'ol' : 'ul'
      if (list?.tag !== tag) {
        flush()
        list = { tag, items: [] }
      }
      list.items.push(item)
    } else if (list) list.items.push(`${list.items.pop() ?? ''} ${line.trim()}`)
    else paragraph.push(line.trim())
  }
  flush()
  return html.join('\n')
}

/** Splits off code first, because it contains no other markup. */
function renderInline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part, index) =>
      index % 2 === 1
        ? `<code>${escapeHtml(part.slice(1, -1))}</code>`
        : escapeHtml(part).replaceAll(/\*\*(.+?)\*\*/g, '<strong>$1</strong>'),
    )
    .join('')
}
