import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createFarebox } from 'farebox'

const farebox = createFarebox()
const stream = () =>
  Readable.toWeb(createReadStream('fare-table.docx')) as ReadableStream<Uint8Array>
const sources = [
  { path: 'fare-table.docx' }, // read from disk as it is sent
  new Uint8Array(await readFile('fare-table.docx')),
  new File([await readFile('fare-table.docx')], 'fare-table.docx'), // what a browser's file input gives
  { stream, name: 'fare-table.docx' }, // a function, so that a repeat begins anew
]
for (const file of sources) {
  const text = await farebox.parseText({ file, response_format: 'text' })
  console.log(text.includes('2.40'))
}
