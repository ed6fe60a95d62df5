// Reads a document with one extractor and prints what it took as JSON.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { markPattern } from './write.js'

/** `words` counts the marks that each page has once. */
export type Reading = {
  readonly milliseconds: number
  readonly peakBytes: number
  readonly words: number
}

type Extract = (bytes: Uint8Array) => Promise<string>

type Ast = { to(format: 'text'): Promise<{ readonly value: string }> }
type Modules = {
  readonly 'office-text': { readonly extractText: Extract }
  readonly officeparser: {
    readonly OfficeParser: { parseOffice(bytes: Buffer): Promise<Ast> }
  }
  readonly 'pdf-parse': {
    readonly PDFParse: new (from: { readonly data: Uint8Array }) => {
      getText(): Promise<{ readonly text: string }>
      destroy(): Promise<void>
    }
  }
}

const makers: { readonly [K in keyof Modules]: (module: Modules[K]) => Extract } = {
  'office-text': ({ extractText }) => extractText,
  officeparser:
    ({ OfficeParser }) =>
    async (bytes) =>
      (await (await OfficeParser.parseOffice(Buffer.from(bytes))).to('text')).value,
  'pdf-parse':
    ({ PDFParse }) =>
    async (bytes) => {
      const parser = new PDFParse({ data: bytes })
      const { text } = await parser.getText()
      await parser.destroy()
      return text
    },
}

const [kind = '', module = '', path = ''] = process.argv.slice(2)
const loaded: unknown = await import(pathToFileURL(module).href)
const extract = makers[kind as keyof Modules](loaded as never)
const bytes = readFileSync(path)
// pdf.js detaches the bytes that it is given
const text = await extract(new Uint8Array(bytes))
const copy = new Uint8Array(bytes)
const start = performance.now()
await extract(copy)
const reading: Reading = {
  milliseconds: performance.now() - start,
  peakBytes: process.resourceUsage().maxRSS * 1024,
  words: new Set(text.match(markPattern)).size,
}
console.log(JSON.stringify(reading))
process.exit()
