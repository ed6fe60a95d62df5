import { describe, expect, it } from 'vitest'
import { createForm, createPdf, createStream, write } from '../../test/pdf.js'
import { extractDocument } from '../extract-text.js'

const mark = (name: string, content: string) => `/OC /${name} BDC ${content} EMC\n`

/** A page with the layers `Off` and `On`, their negation `Not`, and a form of the layer `Off`. */
function createLayers(
  content: string,
  { map = '', ...more }: { readonly font?: string; readonly map?: string } = {},
): Uint8Array {
  return createPdf(content, {
    ...more,
    catalog: '/OCProperties<</OCGs[6 0 R 7 0 R]/D<</OFF[6 0 R]>>>>',
    resources: '/Properties<</Off 6 0 R/On 7 0 R/Not 8 0 R>>/XObject<</X1 9 0 R>>',
    objects: [
      '<</Type/OCG/Name(Off)>>',
      '<</Type/OCG/Name(On)>>',
      '<</Type/OCMD/P/AllOff/OCGs[6 0 R]>>',
      createForm(write('Draft', 50, 600), '/OC 6 0 R'),
      createStream('', map),
    ],
  })
}

describe('a layer of a PDF document that is off', () => {
  it('is not read, including its content', async () => {
    const pdf = createLayers(
      [
        write('Fare', 50, 700),
        mark('Off', write('Tarif', 50, 680) + mark('On', write('Prix', 90, 680))),
        mark('On', write('Zone', 50, 660)),
        '/X1 Do ',
        mark('Not', write('End', 50, 640)),
      ].join(''),
    )
    expect(await extractDocument(pdf)).toEqual({
      text: 'Fare\nZone\nEnd',
      warnings: [{ code: 'hidden_text', count: 2 }],
    })
  })

  it('does not hide the same text on another layer, or text outside the page', async () => {
    const outside = write('Proof', 50, 900) + mark('Off', write('Gone', 50, 900))
    const fares = write('Fare', 50, 700) + mark('Off', write('Fare', 50, 680))
    const pdf = createLayers(outside + fares + write('Fare', 50, 660))
    expect(await extractDocument(pdf)).toEqual({
      text: 'Fare\nFare',
      warnings: [{ code: 'hidden_text', count: 1 }],
    })
  })

  it('is found among ligatures and Hebrew', async () => {
    const map =
      '1 begincodespacerange <00> <FF> endcodespacerange 4 beginbfchar <41> <05D0> <42> <05D1> <43> <05D2> <44> <FB01> endbfchar'
    const content =
      write('CBA 12', 50, 700) + mark('Off', write('AAB', 50, 680)) + write('Dne', 50, 660)
    const font = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 10 0 R>>'
    const pdf = createLayers(content, { font, map })
    expect((await extractDocument(pdf)).text).toBe('12 אבג\nfine')
  })
})
