import { expect, it } from 'vitest'
import { renderMarkdown } from './prose.js'

it.each([
  ['one\ntwo\n\nthree', '<p>one two</p>\n<p>three</p>'],
  ['## Title\ntext', '<h3>Title</h3>\n<p>text</p>'],
  ['1. a\n   more\n2. **b**', '<ol><li>a more</li><li><strong>b</strong></li></ol>'],
  ['- `<a & **b**>`', '<ul><li><code>&#60;a &#38; **b**&#62;</code></li></ul>'],
  ['<script>"x"</script>', '<p>&#60;script&#62;&#34;x&#34;&#60;/script&#62;</p>'],
  ['', ''],
])('%j', (text, html) => {
  expect(renderMarkdown(text)).toBe(html)
})
