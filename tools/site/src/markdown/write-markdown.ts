import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDocument } from '@mixmark-io/domino'
import { llmsText } from './llms-text.js'
import { readDescription, markdownAddress, pageMarkdown } from './page-markdown.js'

/**
 * Writes the Markdown of each page of the built site beside it, and `llms.txt`, which lists them.
 * `base` is the folder of the server that the site was built for, with slashes around it.
 */
export function writeMarkdown(folder: string, base: string): void {
  const descriptions = new Map<string, string>()
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?:^|[/\\])index\.html$/.test(name),
  )
  for (const name of pages) {
    const page = createDocument(readFileSync(join(folder, name), 'utf8'))
    descriptions.set(
      markdownAddress(base + name.replaceAll('\\', '/').replace(/index\.html$/, ''), base),
      readDescription(page),
    )
    const markdown = pageMarkdown(page, base)
    if (markdown !== undefined)
      writeFileSync(
        join(folder, name.replace(/(?:[/\\]index|(?<=^index))\.html$/, '.md')),
        markdown,
      )
  }
  // the first page has no list of pages; any other has
  const listed = createDocument(readFileSync(join(folder, 'start/index.html'), 'utf8'))
  writeFileSync(join(folder, 'llms.txt'), llmsText(listed, descriptions, base))
}
