import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import { strToU8, zipSync } from 'fflate'
import { createFragmentedMp4, createMp4, encodeU32 } from '@farebox/testing/mp4'

/** Bytes for one operation, as they are sent to it. */
export type HostileInput = {
  readonly to: 'document' | 'video' | 'json' | 'form'
  readonly bytes: Uint8Array
}

const readFixture = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../../fixtures/${name}`, import.meta.url)))
const createArchive = (files: Readonly<Record<string, string | Uint8Array>>) =>
  zipSync({
    '[Content_Types].xml': strToU8('<Types/>'),
    ...Object.fromEntries(
      Object.entries(files).map(([name, data]) => [
        name,
        typeof data === 'string' ? strToU8(data) : data,
      ]),
    ),
  })

const documents: Readonly<Record<string, () => Uint8Array>> = {
  'a DOCX of 60 MB of spaces': () =>
    createArchive({ 'word/document.xml': new Uint8Array(60_000_000).fill(32) }),
  'a DOCX of 10,001 parts': () =>
    createArchive(
      Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`part${index}`, ''])),
    ),
  'a DOCX 100,000 elements deep': () =>
    createArchive({ 'word/document.xml': `${'<w:p>'.repeat(100_000)}x` }),
  'a DOCX whose entities double': () =>
    createArchive({
      'word/document.xml': `<!DOCTYPE d [${Array.from({ length: 30 }, (_, n) => `<!ENTITY e${n + 1} "&e${n};&e${n};">`).join('')}]><d>&e30;</d>`,
    }),
  'an XLSX whose number format is a million brackets': () =>
    createArchive({
      'xl/workbook.xml': '<workbook><sheets><sheet name="a" r:id="r1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>',
      'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${'['.repeat(1_000_000)}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`,
      'xl/worksheets/sheet1.xml':
        '<worksheet><sheetData><row><c r="A1" s="0"><v>45000</v></c></row></sheetData></worksheet>',
    }),
  'an XLSX with a cell in the last column of the last row': () =>
    createArchive({
      'xl/workbook.xml': '<workbook><sheets><sheet name="a" r:id="r1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>',
      'xl/worksheets/sheet1.xml':
        '<worksheet><sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>',
    }),
  'a PDF whose page inflates to 200 MB': () =>
    createPdf(deflateSync(Buffer.alloc(200_000_000, 32))),
  'a PDF whose lists are 100,000 deep': () =>
    strToU8(
      `%PDF-1.7\n1 0 obj${'['.repeat(100_000)}${']'.repeat(100_000)}endobj\ntrailer<</Root 1 0 R>>`,
    ),
  'a PDF whose pages are each other': () =>
    strToU8(
      '%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[2 0 R 2 0 R]/Count 9999999>>endobj trailer<</Root 1 0 R>>',
    ),
  '20 MB of one line': () => new Uint8Array(20_000_000).fill(97),
  '5 MB of bytes that are no text': () =>
    Uint8Array.from({ length: 5_000_000 }, (_, index) => (index * 7919) % 251),
}

const videos: Readonly<Record<string, () => Uint8Array>> = {
  'an MP4 whose run claims 2^32-1 samples': () => createFragmentedMp4(2 ** 32 - 1, { data: 100 }),
  'an MP4 whose run claims two million samples': () =>
    createFragmentedMp4(2_000_000, { data: 100 }),
  'an MP4 of 2,000 runs of 65,535 samples': () =>
    createFragmentedMp4(65_535, { data: 100, fragments: 2_000 }),
  'an MP4 whose table of times claims 2^32-1 rows': () =>
    createMp4({ stts: [encodeU32(0, 2 ** 32 - 1, 2 ** 32 - 1, 1)] }),
  'an MP4 whose table of sizes claims 2^32-1 samples': () =>
    createMp4({ stsz: [encodeU32(0, 1, 2 ** 32 - 1)] }),
  'an MP4 whose boxes are 20,000 deep': () =>
    Buffer.concat(
      Array.from({ length: 20_000 }, (_, depth) =>
        Buffer.concat([encodeU32(8 * (20_000 - depth)), Buffer.from('moov')]),
      ),
    ),
}

const createMembers = (count: number) =>
  Array.from({ length: count }, (_, index) => `"m${index}":1`).join(',')
const jsons: Readonly<Record<string, () => string>> = {
  'half a million lists in each other': () => `{"a":${'['.repeat(500_000)}`,
  'a million empty objects': () => `{"consents":[${'{},'.repeat(999_999)}{}]}`,
  'half a million members': () => `{${createMembers(500_000)}}`,
  'a text of 20 MB': () => `{"prompt":"${'a'.repeat(20_000_000)}"}`,
  'a text of two million escapes': () => `{"prompt":"${'\\u0041'.repeat(2_000_000)}"}`,
  'a number of a million digits': () => `{"duration":${'9'.repeat(1_000_000)}}`,
}

const createPart = (disposition: string, content = 'x') =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
const forms: Readonly<Record<string, () => string>> = {
  '10,000 parts': () => `${createPart('name="a"', '').repeat(10_000)}--b--`,
  'a boundary that nearly ends, a million times': () =>
    `${createPart('name="file"; filename="a"', '\r\n--')}${'\r\n--a'.repeat(1_000_000)}\r\n--b--`,
  'a name of a million characters': () => `${createPart(`name="${'a'.repeat(1_000_000)}"`)}--b--`,
  'a million parameters': () => `${createPart(`name="file"${'; a=b'.repeat(1_000_000)}`)}--b--`,
  'a header without an end': () => `--b\r\n${'a'.repeat(5_000_000)}`,
}

const createCases = (
  to: HostileInput['to'],
  cases: Readonly<Record<string, () => string | Uint8Array>>,
) =>
  Object.entries(cases).map(([name, make]) => {
    const made = (): HostileInput => {
      const content = make()
      return { to, bytes: typeof content === 'string' ? strToU8(content) : content }
    }
    return { name, make: made }
  })

/** One case for each way in which bytes of a stranger made a reader work, wait or allocate. */
export const corpus = [
  ...createCases('document', documents),
  ...createCases('video', videos),
  ...createCases('json', jsons),
  ...createCases('form', forms),
]

/** Files and requests that are read, to be damaged. */
export const seeds: Readonly<Record<string, () => HostileInput>> = {
  PDF: () => ({ to: 'document', bytes: readFixture('fare-table.pdf') }),
  DOCX: () => ({ to: 'document', bytes: readFixture('fare-table.docx') }),
  PPTX: () => ({ to: 'document', bytes: readFixture('fare-table.pptx') }),
  XLSX: () => ({ to: 'document', bytes: readFixture('fare-table.xlsx') }),
  MP4: () => ({ to: 'video', bytes: createFragmentedMp4(75, { sampleDuration: 40 }) }),
  JSON: () => ({
    to: 'json',
    bytes: strToU8('{"model":"seedance-2-0-text-to-video","prompt":"a tram","duration":"5s"}'),
  }),
  multipart: () => ({
    to: 'form',
    bytes: strToU8(`${createPart('name="file"; filename="a.txt"', 'Tram fares')}--b--\r\n`),
  }),
}

function createPdf(content: Uint8Array): Uint8Array {
  const head = `%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>endobj 4 0 obj<</Filter/FlateDecode/Length ${content.length}>>stream\n`
  return Buffer.concat([
    Buffer.from(head),
    content,
    Buffer.from('\nendstream endobj trailer<</Root 1 0 R>>'),
  ])
}
