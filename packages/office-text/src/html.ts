import { Parser } from 'htmlparser2'

const blocks: ReadonlySet<string> = new Set(
  'address article aside blockquote body caption dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul'.split(
    ' ',
  ),
)
const unseen: ReadonlySet<string> = new Set(['head', 'script', 'style', 'template', 'title', 'rt'])

/** The lines that a browser shows of an HTML document, with tabs between the cells of a row. */
export function readHtml(html: string): readonly string[] {
  const lines: string[] = []
  let line = ''
  let skipped = 0
  const end = (): void => {
    const shown = line.replaceAll(/[^\S\t]+/g, ' ').trim()
    if (shown !== '') lines.push(shown)
    line = ''
  }
  const parser = new Parser({
    onopentag(name) {
      if (unseen.has(name)) skipped += 1
      if (blocks.has(name) || name === 'br') end()
      if (name === 'td' || name === 'th') line = line.trim() === '' ? line : `${line.trimEnd()}\t`
    },
    onclosetag(name) {
      if (unseen.has(name) && skipped > 0) skipped -= 1
      if (blocks.has(name)) end()
    },
    ontext(text) {
      if (skipped === 0) line += text.replaceAll(/\s+/g, ' ')
    },
  })
  parser.write(html)
  parser.end()
  end()
  return lines
}
