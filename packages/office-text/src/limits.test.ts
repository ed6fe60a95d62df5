import { strToU8, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { extractText } from './extract-text.js'
import type { Limits } from './limits.js'

const plain = new TextEncoder().encode('Single ride')
const docx = zipSync({
  '[Content_Types].xml': strToU8('<Types/>'),
  'word/document.xml': strToU8(`<w:document><w:p><w:t>Single ride</w:t></w:p></w:document>`),
})
const createSlides = (count: number): Uint8Array => {
  const numbers = Array.from({ length: count }, (_, i) => i + 1)
  const links = numbers.map((i) => `<Relationship Id="r${i}" Type="x/slide" Target="s${i}.xml"/>`)
  return zipSync({
    '[Content_Types].xml': strToU8('<Types/>'),
    'ppt/presentation.xml': strToU8(
      `<p:presentation>${numbers.map((i) => `<p:sldId r:id="r${i}"/>`).join('')}</p:presentation>`,
    ),
    'ppt/_rels/presentation.xml.rels': strToU8(`<Relationships>${links.join('')}</Relationships>`),
    ...Object.fromEntries(
      numbers.map((i) => [`ppt/s${i}.xml`, strToU8('<p:sld><a:p><a:t>ride</a:t></a:p></p:sld>')]),
    ),
  })
}

describe('the limit on characters', () => {
  test.each([
    ['plain text', plain, 11],
    ['a document', docx, 12],
    ['the blank lines between slides', createSlides(10), 58],
  ])('holds for %s', async (_, file, enough) => {
    const text = await extractText(file, { characters: enough })
    expect(text.length).toBeLessThanOrEqual(enough)
    await expect(extractText(file, { characters: text.length - 1 })).rejects.toMatchObject({
      code: 'too_complex',
      message: `The file expands to more than ${text.length - 1} characters of text, which is the limit. Send a smaller part of it.`,
    })
  })
})

describe('limits that are given', () => {
  test('leave the others at their defaults, as undefined does', async () => {
    const limits = { depth: undefined, characters: 1_000 } as unknown as Partial<Limits>
    const deep = zipSync({
      '[Content_Types].xml': strToU8('<Types/>'),
      'word/document.xml': strToU8(
        `<w:document>${'<w:x>'.repeat(300)}${'</w:x>'.repeat(300)}</w:document>`,
      ),
    })
    await expect(extractText(deep, limits)).rejects.toMatchObject({ code: 'too_complex' })
    await expect(extractText(deep, { depth: Infinity })).rejects.toMatchObject({ code: 'no_text' })
  })

  test.each([NaN, -1, '10' as unknown as number])(
    'are rejected when they are %s',
    async (depth) => {
      await expect(extractText(plain, { depth })).rejects.toThrow(
        new RangeError(
          `extractText: the limit depth is ${depth}. Expected a number of at least 0.`,
        ),
      )
    },
  )

  test('are rejected when their name is unknown', async () => {
    const misspelt = { charcters: 10 } as unknown as Partial<Limits>
    await expect(extractText(plain, misspelt)).rejects.toThrow(
      /charcters is not a limit. Expected one of entries, inflatedBytes/,
    )
  })
})
