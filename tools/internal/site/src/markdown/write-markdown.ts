import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDocument } from '@mixmark-io/domino'
import { docs } from '../folders.js'
import {
  printApiCatalog,
  docsPagesFile,
  printDocsPages,
  listPages,
  printLlmsFull,
  printLlms,
  printSkill,
} from './page-lists.js'
import { readDescription, toMarkdownAddress, toMarkdown } from './page-markdown.js'

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
