import { readFile } from 'node:fs/promises'
import { strToU8, zipSync } from 'fflate'
import { deepTest } from '@farebox/testing/rounds'
import { describe, expect, test } from 'vitest'
import { extractText } from './extract-text.js'

const toBytes = (latin: string): Uint8Array => Uint8Array.from(latin, (char) => char.charCodeAt(0))
const readFixture = async (name: string): Promise<Uint8Array> =>
  new Uint8Array(await readFile(new URL(`../../service/fixtures/${name}`, import.meta.url)))

const createDocx = (main: string | Uint8Array): Uint8Array =>
  zipSync({
    '[Content_Types].xml': strToU8('<Types/>'),
    'word/document.xml': typeof main === 'string' ? strToU8(main) : main,
  })

describe('archive bombs are too complex', () => {
  test('a part that inflates a thousandfold stops at the ratio', async () => {
    const bomb = createDocx(new Uint8Array(60_000_000).fill(32))
    expect(bomb.length).toBeLessThan(70_000)
    await expect(extractText(bomb)).rejects.toMatchObject({
      code: 'too_complex',
      message: 'A part of the file inflates to more than 250 times its size, as archive bombs do.',
    })
  })

  test('parts below the ratio stop at the total', async () => {
    const file = createDocx(`<w:document>${'<w:p/>'.repeat(1000)}</w:document>`)
    await expect(extractText(file, { inflatedBytes: 2000 })).rejects.toMatchObject({
      code: 'too_complex',
      message:
        'The file expands to more than 2000 bytes, which is the limit. Send a smaller part of it.',
    })
  })

  test('a size that the index states too small does not lift the limit', async () => {
    const bomb = createDocx(new Uint8Array(60_000_000).fill(32))
    const view = new DataView(bomb.buffer, bomb.byteOffset)
    for (let at = 0; at + 46 < bomb.length; at += 1) {
      if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 10, true)
    }
    await expect(extractText(bomb)).rejects.toMatchObject({ code: 'too_complex' })
  })

  deepTest('rejects 10,001 entries', async () => {
    const entries = Object.fromEntries(
      Array.from({ length: 10_001 }, (_, i) => [`part${i}`, new Uint8Array(0)]),
    )
    await expect(extractText(zipSync(entries, { level: 0 }))).rejects.toMatchObject({
      code: 'too_complex',
      message: 'The file is an archive with more than 10000 entries, which is the limit.',
    })
  })

  deepTest('parts without text are not inflated', async () => {
    const file = zipSync({
      '[Content_Types].xml': strToU8('<Types/>'),
      'word/document.xml': strToU8('<w:document><w:p><w:t>Single ride</w:t></w:p></w:document>'),
      'word/media/bomb.bin': new Uint8Array(30_000_000),
    })
    expect(await extractText(file)).toBe('Single ride')
  })
})

describe('XML bombs', () => {
  test('entities are rejected with their document type', async () => {
    const lol = Array.from(
      { length: 9 },
      (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`,
    ).join('')
    const main = `<!DOCTYPE d [<!ENTITY l0 "lol">${lol}]><w:document><w:p><w:t>&l9;</w:t></w:p></w:document>`
    await expect(extractText(createDocx(main))).rejects.toMatchObject({
      code: 'corrupt',
      message:
        'The document of the file declares a document type, which Office documents never do. Save the document again and send the new file.',
    })
  })

  test('an external entity is rejected the same way', async () => {
    const main =
      '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]><w:document><w:t>&x;</w:t></w:document>'
    await expect(extractText(createDocx(main))).rejects.toMatchObject({ code: 'corrupt' })
  })

  test('deep nesting is too complex', async () => {
    const main = `<w:document>${'<w:x>'.repeat(100_000)}${'</w:x>'.repeat(100_000)}</w:document>`
    await expect(extractText(createDocx(main))).rejects.toMatchObject({ code: 'too_complex' })
  })

  test('one long string that many cells repeat stops at the characters', async () => {
    const relationships =
      '<Relationships><Relationship Id="r1" Type="x/worksheet" Target="s.xml"/><Relationship Id="r2" Type="x/sharedStrings" Target="t.xml"/></Relationships>'
    const file = zipSync({
      '[Content_Types].xml': strToU8('<Types/>'),
      'xl/workbook.xml': strToU8(
        '<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>',
      ),
      'xl/_rels/workbook.xml.rels': strToU8(relationships),
      'xl/t.xml': strToU8(`<sst><si><t>${'long'.repeat(25_000)}</t></si></sst>`),
      'xl/s.xml': strToU8(
        `<worksheet>${'<row><c t="s"><v>0</v></c></row>'.repeat(1000)}</worksheet>`,
      ),
    })
    await expect(extractText(file)).rejects.toMatchObject({
      code: 'too_complex',
      message:
        'The file expands to more than 33554432 characters of text, which is the limit. Send a smaller part of it.',
    })
  })

  test('names of object properties are ordinary names', async () => {
    const main =
      '<w:document><w:p><w:t>a</w:t><w:constructor/><w:__proto__ __proto__="x"/><w:toString/></w:p></w:document>'
    expect(await extractText(createDocx(main))).toBe('a')
  })
})

describe('damaged and protected files', () => {
  test.each(['fare-table.docx', 'fare-table.pptx', 'fare-table.xlsx'])(
    '%s cut off anywhere is corrupt',
    async (name) => {
      const whole = await readFixture(name)
      for (const part of [0.01, 0.3, 0.6, 0.9, 0.999]) {
        await expect(
          extractText(whole.slice(0, Math.floor(whole.length * part))),
        ).rejects.toMatchObject({ code: 'corrupt' })
      }
    },
  )

  test('a DOCX document with flipped bits fails as an ExtractTextError, or gives text', async () => {
    const whole = await readFixture('fare-table.docx')
    for (let at = 0; at < whole.length; at += 37) {
      const damaged = whole.slice()
      damaged[at] = (damaged[at] ?? 0) ^ 0xff
      const outcome = await extractText(damaged).catch((error: unknown) => error)
      if (typeof outcome !== 'string') expect(outcome).toMatchObject({ name: 'ExtractTextError' })
    }
  })

  test('XML that is not well-formed is corrupt, and the message does not quote it', async () => {
    await expect(
      extractText(createDocx('<w:document><secret></w:document>')),
    ).rejects.toMatchObject({
      code: 'corrupt',
      message:
        'The document of the file is not well-formed XML. Save the document again and send the new file.',
    })
  })

  test('a part that is not UTF-8 is corrupt', async () => {
    await expect(
      extractText(createDocx(toBytes('<w:document>\u00ff\u00fe</w:document>'))),
    ).rejects.toMatchObject({ code: 'corrupt' })
  })

  test('an archive with encrypted entries is encrypted', async () => {
    const file = createDocx('<w:document/>')
    const view = new DataView(file.buffer, file.byteOffset)
    for (let at = 0; at + 46 < file.length; at += 1) {
      if (view.getUint32(at, true) === 0x02014b50) view.setUint16(at + 8, 1, true)
    }
    await expect(extractText(file)).rejects.toMatchObject({ code: 'encrypted' })
  })

  test.each([
    ['a header and nothing else', '%PDF-1.7\n'],
    ['a header and rubbish', `%PDF-1.4\n${'rubbish '.repeat(100)}`],
  ])('a PDF document of %s is corrupt', async (_, content) => {
    await expect(extractText(toBytes(content))).rejects.toMatchObject({
      code: 'corrupt',
      message:
        'The file begins as a PDF document but cannot be read as one: it is cut off or damaged.',
    })
  })

  test('a PDF document with an encryption dictionary and no empty password is encrypted', async () => {
    const encrypt = `/Encrypt<</Filter/Standard/V 1/R 2/O(${'a'.repeat(32)})/U(${'b'.repeat(32)})/P -4>>/ID[(x)(x)]`
    const content = `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R${encrypt}>>\n%%EOF`
    await expect(extractText(toBytes(content))).rejects.toMatchObject({ code: 'encrypted' })
  })

  test('a PDF document without text says so', async () => {
    const content =
      '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF'
    await expect(extractText(toBytes(content))).rejects.toMatchObject({
      code: 'no_text',
      message:
        'The PDF document has no text in it: its pages are empty or pictures. Run text recognition on it first, then send it again.',
    })
  })

  test('a PDF document cut in half is corrupt, or gives what is left', async () => {
    const whole = await readFixture('fare-table.pdf')
    const outcome = await extractText(whole.slice(0, 13_000)).catch((error: unknown) => error)
    expect(outcome).toMatchObject({ name: 'ExtractTextError' })
  })
})
