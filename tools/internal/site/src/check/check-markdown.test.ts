import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkMarkdown } from './check-markdown.js'
import type { PageReport } from './check-pages.js'
import { serveFolder, type ServedFolder } from './serve-folder.js'

const files = {
  'index.md': '# Home\n\n[The guide](/guide.md#steps)\n',
  'guide.md':
    '# Guide\n\n## Steps\n\n```ts\nimport a from "a" // <A />\n```\n\n`<B>` [Home](/index.md)\n',
  'llms.txt': '# Site\n\n- [Guide](/guide.md): It guides.\n',
}

let folder = ''
let served: ServedFolder

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'markdown-'))
})

afterEach(() => {
  served.close()
  rmSync(folder, { recursive: true })
})

/** The faults of a site whose pages have one heading and one block of code in the guide. */
async function listFaults(
  changed: Partial<typeof files>,
  report: Partial<PageReport['shown']> = {},
): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries({ ...files, ...changed }))
    if (text !== '') writeFileSync(join(folder, name), text)
  served = await serveFolder(folder, '/')
  const page = (path: string, ids: readonly string[], shown: PageReport['shown']): PageReport => ({
    path,
    ids,
    shown,
    hrefs: [],
    faults: [],
  })
  const pages = [
    page('/', [], { markdown: `${served.origin}/index.md`, codes: 0, headings: 0 }),
    page('/guide/', ['steps'], {
      markdown: `${served.origin}/guide.md`,
      codes: 1,
      headings: 1,
      ...report,
    }),
    page('/404.html', [], { markdown: undefined, codes: 0, headings: 0 }),
  ]
  return checkMarkdown(pages, served.origin, '/')
}

test('a complete site has no errors', async () => {
  expect(await listFaults({})).toEqual([])
})

test.each([
  ['a page without Markdown', {}, { markdown: undefined }, '/guide/ has no link to its Markdown'],
  [
    'markup',
    { 'index.md': '# Home\n\n<Sample file="a" />\n' },
    {},
    '/index.md has markup: <Sample file="a" />',
  ],
  [
    'an import of a component',
    { 'index.md': "# Home\n\nimport A from './A.astro'\n" },
    {},
    "/index.md has markup: import A from './A.astro'",
  ],
  ['a lost block of code', {}, { codes: 2 }, '/guide.md has 1 blocks of code, and its page 2'],
  ['a lost heading', {}, { headings: 2 }, '/guide.md has 1 headings, and its page 2'],
  [
    'a link to nothing',
    { 'index.md': '[a](/gone.md)' },
    {},
    '/index.md links to /gone.md, which does not exist',
  ],
  [
    'a link to no heading',
    { 'index.md': '[a](/guide.md#gone)' },
    {},
    '/index.md links to /guide.md#gone: no such anchor',
  ],
  ['a list without the page', { 'llms.txt': '# Site\n' }, {}, 'llms.txt does not list /guide.md'],
  [
    'a list that names too much',
    { 'llms.txt': '[a](/guide.md) [b](/b.md)' },
    {},
    'llms.txt links to /b.md, which does not exist',
  ],
  ['no list', { 'llms.txt': '' }, {}, 'llms.txt does not list /guide.md'],
])('%s is an error', async (_, changed, report, fault) => {
  expect(await listFaults(changed, report as Partial<PageReport['shown']>)).toContain(fault)
})
