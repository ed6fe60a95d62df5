import { expect, it } from 'vitest'
import { renderMarkdown } from './prose.js'

it.each([
  ['one\ntwo\n\nthree', '<p>one two</p>\n<p>three</p>'],
  ['## Title\ntext', '<h3>Title</h3>\n<p>text</p>'],
  ['1. a\n   more\n2. **b**', '<ol><li>a more</li><li><strong>b</strong></li></ol>'],
  ['- `<a & **b**>`', '<ul><li><code>&#60;a &#38; **b**&#62;</code></li></ul>'],
  ['<script>"x"</script>', '<p>&#60;script&#62;&#34;x&#34;&#60;/script&#62;</p>'],
  ['', ''],
  ['* a\n* *b*', '<ul><li>a</li><li><em>b</em></li></ul>'],
  ['**`a`**: b', '<p><strong><code>a</code></strong>: b</p>'],
  [
    '[a](https://a.example)',
    '<p><a href="https://a.example" rel="noopener noreferrer nofollow">a</a></p>',
  ],
  ['[a](javascript:b)', '<p>[a](javascript:b)</p>'],
  ['[a](//a.example)', '<p>[a](//a.example)</p>'],
  [
    '```sh\n<b> **a**\n\n```\nc',
    '<pre tabindex="0" role="region" aria-label="Code"><code>&#60;b&#62; **a**\n</code></pre>\n<p>c</p>',
  ],
  ['<p>a<br/>b</p><ul><li>c</li></ul>', '<p>a b</p>\n<ul><li>c</li></ul>'],
  [
    '<a href="https://a.example">a</a> <strong>b</strong> <code>c</code>',
    '<p><a href="https://a.example" rel="noopener noreferrer nofollow">a</a> <strong>b</strong> <code>c</code></p>',
  ],
  ['<p onclick="a()">b', '<p>&#60;p onclick=&#34;a()&#34;&#62;b</p>'],
])('%j', (text, html) => {
  expect(renderMarkdown(text)).toBe(html)
})
