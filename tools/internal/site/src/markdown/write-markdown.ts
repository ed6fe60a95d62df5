import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDocument } from '@mixmark-io/domino'
import { docs } from '../folders.js'
import { apiCatalog } from './api-catalog.js'
import { docsPagesFile, docsPagesText } from './docs-pages.js'
import { listPages } from './list-pages.js'
import { llmsFullText, llmsText, skillText } from './llms-text.js'
import { readDescription, markdownAddress, pageMarkdown } from './page-markdown.js'

/**
 * Writes the Markdown of each page of the built site beside it, and what programs look for:
 * `llms.txt`, which lists the pages, `llms-full.txt` with all of them, `skill.md`, the OpenAPI
 * document and the catalogue of the API, and the pages that the command has with it. `base` is the folder of the server that the site was built
 * for, with slashes around it.
 */
export function writeMarkdown(folder: string, base: string, site: string | undefined): void {
  const descriptions = new Map<string, string>()
  const texts = new Map<string, string>()
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?:^|[/\\])index\.html$/.test(name),
  )
  for (const name of pages) {
    const page = createDocument(readFileSync(join(folder, name), 'utf8'))
    const address = markdownAddress(
      base + name.replaceAll('\\', '/').replace(/index\.html$/, ''),
      base,
    )
    descriptions.set(address, readDescription(page))
    const markdown = pageMarkdown(page, base)
    if (markdown === undefined) continue
    texts.set(address, markdown)
    writeFileSync(join(folder, address.slice(base.length)), markdown)
  }
  // the first page has no list of pages; any other has
  const listed = createDocument(readFileSync(join(folder, 'start/index.html'), 'utf8'))
  const groups = listPages(listed, descriptions, base)
  const summary = descriptions.get(`${base}index.md`) ?? ''
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write('llms.txt', llmsText(summary, groups, base))
  write('llms-full.txt', llmsFullText(groups, texts, base))
  write('skill.md', skillText(readFileSync(join(docs, 'skill.md'), 'utf8'), groups))
  write('openapi.json', readFileSync(join(docs, '.prepared/contract.json'), 'utf8'))
  // packages have the pages of a site at the root of its server
  if (base === '/') writeFileSync(docsPagesFile, docsPagesText(groups, texts, base))
  mkdirSync(join(folder, '.well-known'), { recursive: true })
  write('.well-known/api-catalog', apiCatalog(base, site))
}
