type Props = { readonly text: string }

/** Markdown of the contract as paragraphs and lists. */
export function Prose({ text }: Props) {
  return <div dangerouslySetInnerHTML={{ __html: renderMarkdown(text) }} />
}

/** A description in one paragraph, for `dangerouslySetInnerHTML`. */
export function inlineHtml(text: string): { readonly __html: string } {
  return {
    __html: renderInline(
      replaceTags(text)
        .trim()
        .replaceAll(/\s*\n\s*/g, ' '),
    ),
  }
}

/** Escapes text for HTML and its attributes. */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const bulletPattern = /^\s{0,3}(?:([-*+])|\d{1,9}[.)])\s+(.*)$/

/**
 * Renders Markdown: headings, paragraphs, lists, code, bold, emphasis and links. All text is
 * escaped: descriptions are the text of strangers.
 */
export function renderMarkdown(text: string, headingLevel = 3): string {
  const html: string[] = []
  let paragraph: string[] = []
  let list: { readonly tag: 'ul' | 'ol'; readonly items: string[] } | undefined
  let fence: { readonly mark: string; readonly lines: string[] } | undefined
  const flush = () => {
    if (paragraph.length > 0) html.push(`<p>${renderInline(paragraph.join(' '))}</p>`)
    if (list)
      html.push(
        `<${list.tag}>${list.items.map((item) => `<li>${renderInline(item)}</li>`).join('')}</${list.tag}>`,
      )
    paragraph = []
    list = undefined
  }
  const closeFence = () => {
    if (fence)
      html.push(
        `<pre tabindex="0" role="region" aria-label="Code"><code>${escapeHtml(fence.lines.join('\n'))}</code></pre>`,
      )
    fence = undefined
  }
  for (const line of replaceTags(text).split(/\r?\n/)) {
    const [, mark] = /^\s{0,3}(```+|~~~+)/.exec(line) ?? []
    if (fence) {
      if (mark?.startsWith(fence.mark) && line.trim() === mark) closeFence()
      else fence.lines.push(line)
      continue
    }
    const [, marks, heading] = /^(#{1,6}) (.*)$/.exec(line) ?? []
    const [, bullet, item] = bulletPattern.exec(line) ?? []
    if (mark !== undefined) {
      flush()
      fence = { mark, lines: [] }
    } else if (line.trim() === '') flush()
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
  closeFence()
  flush()
  return html.join('\n')
}

/** Code in backticks, which has no other markup in it. */
const codePattern = /(`[^`]+`)/g

/** Writes the HTML tags that descriptions often have as Markdown. Others are shown as text. */
function replaceTags(text: string): string {
  if (!text.includes('<')) return text
  return text
    .split(codePattern)
    .map((part, index) => (index % 2 === 1 ? part : replaceTagsOutside(part)))
    .join('')
}

function replaceTagsOutside(text: string): string {
  return text
    .replaceAll(/<\/?p>/gi, '\n\n')
    .replaceAll(/<br\s{0,3}\/?>/gi, '\n')
    .replaceAll(/<li>/gi, '\n- ')
    .replaceAll(/<\/(?:ul|ol)>/gi, '\n\n')
    .replaceAll(/<\/?(?:ul|ol|div|span)>|<\/li>/gi, '')
    .replaceAll(/<\/?(?:strong|b)>/gi, '**')
    .replaceAll(/<\/?(?:em|i)>/gi, '*')
    .replaceAll(/<code>([^<`]*)<\/code>/gi, '`$1`')
    .replaceAll(
      /<a [^<>]{0,100}?href="([^"<>]{1,2000})"[^<>]{0,100}>([^<]{1,500})<\/a>/gi,
      '[$2]($1)',
    )
}

/** Code is set aside at first, because no other markup is in it, but it may be in other markup. */
function renderInline(text: string): string {
  const codes: string[] = []
  const rest = text.replaceAll('\0', '').replaceAll(codePattern, (code) => {
    codes.push(`<code>${escapeHtml(code.slice(1, -1))}</code>`)
    return `\0${codes.length - 1}\0`
  })
  return renderLinks(rest).replaceAll(
    /\0(\d+)\0/g,
    (_, index: string) => codes[Number(index)] ?? '',
  )
}

const linkPattern = /\[([^[\]]{1,500})\]\(([^()\s\0]{1,2000})\)/g

/** Only addresses that load a page or write a mail: `javascript:` and relative ones stay text. */
function renderLinks(text: string): string {
  let html = ''
  let end = 0
  for (const match of text.matchAll(linkPattern)) {
    const [whole, label = '', address = ''] = match
    if (!/^(?:https?:\/\/|mailto:)/i.test(address)) continue
    html += `${renderEmphasis(text.slice(end, match.index))}<a href="${escapeHtml(address)}" rel="noopener noreferrer nofollow">${renderEmphasis(label)}</a>`
    end = match.index + whole.length
  }
  return html + renderEmphasis(text.slice(end))
}

function renderEmphasis(text: string): string {
  return escapeHtml(text)
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])/g, '<em>$1</em>')
}
