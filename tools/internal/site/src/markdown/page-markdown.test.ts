import { createDocument } from '@mixmark-io/domino'
import { expect, test } from 'vitest'
import { toMarkdownAddress, toMarkdown } from './page-markdown.js'

const createPage = (content: string) =>
  createDocument(
    `<meta name="description" content="What it does."><h1> A page </h1><div class="sl-markdown-content">${content}</div>`,
  )

const renderMarkdown = (content: string) =>
  toMarkdown(createPage(content), '/')
    ?.replace('# A page\n\n> What it does. All pages: `/llms.txt`\n\n', '')
    .trimEnd()

const createLine = (code: string) =>
  `<div class="ec-line"><div class="code"><span>${code}</span></div></div>`

const frame = (...lines: string[]) =>
  `<div class="expressive-code"><link rel="stylesheet" href="/ec.css"><figure><figcaption><span class="title">a.ts</span></figcaption>` +
  `<pre data-language="ts"><code>${lines.map(createLine).join('')}</code></pre><div class="copy"><button>Copy</button></div></figure></div>`

test('a page begins with its title, its description and a link to the index', () => {
  expect(toMarkdown(createPage('<p>Text.</p>'), '/')).toBe(
    '# A page\n\n> What it does. All pages: `/llms.txt`\n\nText.\n',
  )
  expect(toMarkdown(createDocument('<h1>Not found</h1>'), '/')).toBeUndefined()
})

test('a frame of code becomes a block with language and title, and its fence is longer than those within', () => {
  expect(renderMarkdown(frame('const a = 1 &lt; 2', '', '  f(a)'))).toBe(
    '```ts title="a.ts"\nconst a = 1 < 2\n\n  f(a)\n```',
  )
  expect(renderMarkdown(frame('```', 'x', '```'))).toBe('````ts title="a.ts"\n```\nx\n```\n````')
})

test('each tab stands below its label', () => {
  const tabs =
    '<ul role="tablist"><li><a role="tab" id="t1">curl</a></li><li><a role="tab" id="t2">SDK</a></li></ul>' +
    '<div role="tabpanel" aria-labelledby="t1"><p>one</p></div><div role="tabpanel" aria-labelledby="t2" hidden><p>two</p></div>'
  expect(renderMarkdown(tabs)).toBe('**curl**\n\none\n\n**SDK**\n\ntwo')
})

test('asides, diagrams and facts become text', () => {
  expect(
    renderMarkdown(
      '<aside><p class="starlight-aside__title"><svg></svg>Note </p><div><p>Mind it.</p></div></aside>',
    ),
  ).toBe('> **Note**\n> \n> Mind it.')
  expect(
    renderMarkdown(
      '<figure class="diagram"><svg><desc>A leads to B.</desc><text>A</text></svg><figcaption>Flow.</figcaption></figure>',
    ),
  ).toBe('A leads to B. Flow.')
  expect(renderMarkdown('<dl><div><dt>Price</dt><dd>0.01 <code>USD</code></dd></div></dl>')).toBe(
    '-   **Price**: 0.01 `USD`',
  )
})

test('labels that a style sheet keeps apart are separated', () => {
  const field =
    '<p class="field"><code>path.<b>name</b></code> <span>string</span><span>required</span></p>'
  expect(renderMarkdown(field)).toBe('`path.name` (string, required)')
  expect(renderMarkdown('<p class="values"><code>a</code><code>b</code></p>')).toBe('`a`, `b`')
  expect(renderMarkdown('<p class="endpoint"><span>GET</span><code>/models</code></p>')).toBe(
    'GET `/models`',
  )
})

test('browser-only content is omitted, and text is escaped', () => {
  expect(
    renderMarkdown(
      '<p>Map&lt;string&gt;</p><script>let a</script><div data-browser-only><h2>Try it</h2></div>',
    ),
  ).toBe(String.raw`Map\<string>`)
  expect(
    renderMarkdown(
      '<table><thead><tr><th>Node<br>20</th></tr></thead><tbody><tr><td>a</td></tr></tbody></table>',
    ),
  ).not.toContain('<')
})

test('links to pages lead to their Markdown', () => {
  expect(renderMarkdown('<p><a href="/guides/video/#price">Video</a></p>')).toBe(
    '[Video](/guides/video.md#price)',
  )
  expect(
    ['/', '/api/#x', '#here', '/mark.svg', 'https://example.com/', '//example.com/'].map((href) =>
      toMarkdownAddress(href, '/'),
    ),
  ).toEqual([
    '/index.md',
    '/api.md#x',
    '#here',
    '/mark.svg',
    'https://example.com/',
    '//example.com/',
  ])
  expect(['/docs/', '/docs/api/'].map((href) => toMarkdownAddress(href, '/docs/'))).toEqual([
    '/docs/index.md',
    '/docs/api.md',
  ])
})
