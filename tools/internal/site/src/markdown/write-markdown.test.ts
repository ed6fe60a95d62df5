import { createDocument } from '@mixmark-io/domino'
import { expect, test } from 'vitest'
import {
  printApiCatalog,
  listPages,
  printLlmsFull,
  printLlms,
  printSkill,
} from './write-markdown.js'

const sidebar = createDocument(
  '<nav id="starlight__sidebar"><ul class="top-level">' +
    '<li><details><summary>Start</summary><ul><li><a href="/guides/start/"><span>Begin</span></a></li></ul></details></li>' +
    '<li><details><summary>API</summary><ul><li><details><summary>Audio</summary><ul><li><a href="/api/speak/"><span>Speak</span> <span>POST</span></a></li></ul>' +
    '</details></li><li><a href="/packages/a-exports/"><span>Exports of a</span></a></li></ul></details></li></ul></nav>',
)
const descriptions = new Map([
  ['/index.md', 'Purpose.'],
  ['/guides/start.md', 'First.'],
  ['/api/speak.md', 'Speaks.'],
  ['/packages/a-exports.md', 'What a exports.'],
])
const groups = listPages(sidebar, descriptions, '/')

test('llms.txt has the groups of the sidebar, and lists of exports at its end', () => {
  const text = printLlms('Purpose.', groups, '/')
  expect(text).toMatch(/^# Farebox\n\n> Purpose\.\n/)
  expect(text.slice(text.indexOf('## '))).toBe(
    '## Start\n\n- [Begin](/guides/start.md): First.\n\n## API\n\n- [Speak](/api/speak.md): Speaks.\n\n' +
      '## Optional\n\n- [Exports of a](/packages/a-exports.md): What a exports.\n\n',
  )
  expect(() => listPages(sidebar, new Map(), '/')).toThrow('/guides/start.md')
})

test('llms-full.txt has the pages in the order of the sidebar, and no lists of exports', () => {
  const texts = new Map([...descriptions].map(([address, text]) => [address, `# ${text}\n`]))
  expect(printLlmsFull(groups, texts, '/')).toBe(
    '<!-- /index.md -->\n\n# Purpose.\n\n<!-- /guides/start.md -->\n\n# First.\n\n<!-- /api/speak.md -->\n\n# Speaks.\n',
  )
})

test('skill.md ends with the guides', () => {
  expect(printSkill('Instructions.\n\n## Guides\n', groups)).toBe(
    'Instructions.\n\n## Guides\n\n### Start\n\n- [Begin](/guides/start.md): First.\n\n',
  )
})

test('the catalogue of the API is a link set, with whole addresses where the site is published', () => {
  const links = (site?: string) =>
    (JSON.parse(printApiCatalog('/docs/', site)) as { readonly linkset: readonly object[] }).linkset
  expect(links()).toMatchObject([
    { anchor: '/docs/api/', 'service-desc': [{ href: '/docs/openapi.json' }] },
  ])
  expect(links('https://a.example')).toMatchObject([
    {
      anchor: 'https://a.example/docs/api/',
      'service-doc': [{ href: 'https://a.example/docs/api/' }, { type: 'text/markdown' }],
    },
  ])
})
