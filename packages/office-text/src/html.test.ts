import { describe, expect, it } from 'vitest'
import { createWarningCounter } from './findings.js'
import { readHtml } from './html.js'
import { findHtml } from './mhtml.js'

const read = (html: string) => {
  const warnings = createWarningCounter()
  return { lines: readHtml(html, warnings), warnings: warnings.list() }
}

describe('an HTML document shows', () => {
  it.each<[what: string, html: string, lines: readonly string[]]>([
    ['its blocks as lines', '<h1>A</h1><p>b <b>c</b><br>d</p>e', ['A', 'b c', 'd', 'e']],
    [
      'rows with tabs, also for empty cells',
      '<table><tr><td><p>1</p><p>2</p></td><td></td><td>3</td></tr><tr><td>4</table>',
      ['1 2\t\t3', '4'],
    ],
    [
      'the numbers of lists',
      '<ol start="3" type="a"><li>x<li>y</ol><ul><li>z</ul>',
      ['c. x', 'd. y', 'z'],
    ],
    ['powers', '10<sup>6</sup> H<sub>2</sub>O', ['10⁶ H₂O']],
    [
      'the values of fields',
      '<input type=checkbox checked> Adult <input type=radio> Child <input value="Ada"><select><option>1<option selected>2</select><input type=hidden value=secret>',
      ['☒ Adult ☐ Child Ada 2'],
    ],
    [
      'nothing that is hidden, and no phonetic guides',
      '<p hidden>a</p><p style="display: none">b</p><script>c</script><p>東<rp>(</rp><rt>ひがし</rt></p>',
      ['東'],
    ],
    ['the lines of preformatted text', '<pre>a  b\n  c</pre>', ['a  b', '  c']],
  ])('%s', (_, html, lines) => {
    expect(read(html)).toEqual({ lines, warnings: [] })
  })

  it('no pictures, which are counted', () => {
    expect(read('<img src="a.png">x').warnings).toEqual([{ code: 'images_without_text', count: 1 }])
  })
})

it('endlessly nested HTML is too complex', () => {
  expect(() => read('<div>'.repeat(6_000))).toThrow(
    expect.objectContaining({ code: 'too_complex' }),
  )
})

describe('a web archive', () => {
  const part = (encoding: string, body: string) =>
    `--b\r\nContent-Type: text/html; charset="utf-8"\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n`
  const archive = (inside: string) =>
    Buffer.from(
      `MIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n boundary="b"\r\n\r\n--b\r\nContent-Type: image/png\r\n\r\nxx\r\n${inside}--b--\r\n`,
    )

  it.each([
    ['quoted-printable', '<p>M=C3=B6=\r\nwe</p>'],
    ['base64', Buffer.from('<p>Möwe</p>').toString('base64')],
    ['8bit', '<p>Möwe</p>'],
  ])('returns its HTML in %s', (encoding, body) => {
    expect(findHtml(archive(part(encoding, body)))?.trim()).toBe('<p>Möwe</p>')
  })

  it('without HTML returns none', () => {
    expect(findHtml(archive(''))).toBeUndefined()
  })
})
