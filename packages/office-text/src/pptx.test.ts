import { describe, expect, it } from 'vitest'
import { linkParts, readParts } from '../test/parts.js'

const paragraph = (text: string, properties = '') =>
  `<a:p><a:pPr${properties}</a:pPr><a:r><a:rPr/><a:t>${text}</a:t></a:r></a:p>`
const plain = (text: string) => paragraph(text, '>')
const numbered = (text: string, type: string, level = 0) =>
  paragraph(text, ` lvl="${level}"><a:buAutoNum type="${type}"/>`)
const shape = (inside: string, placeholder = '') =>
  `<p:sp><p:nvSpPr><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody><a:lstStyle/>${inside}</p:txBody></p:sp>`
const slide = (inside: string, attributes = '') =>
  `<p:sld${attributes}><p:cSld><p:spTree>${inside}</p:spTree></p:cSld></p:sld>`

const read = async (...slides: string[]) =>
  readParts({
    'ppt/presentation.xml': `<p:presentation>${slides.map((_, at) => `<p:sldId id="${at}" r:id="r${at}"/>`).join('')}</p:presentation>`,
    'ppt/_rels/presentation.xml.rels': linkParts(
      ...slides.map((_, at) => [`r${at}`, 'slide', `slides/${at}.xml`] as const),
    ),
    ...Object.fromEntries(
      slides.flatMap((each, at) => [
        [`ppt/slides/${at}.xml`, each],
        [`ppt/slides/_rels/${at}.xml.rels`, linkParts(['l', 'slideLayout', '../layout.xml'])],
      ]),
    ),
    'ppt/layout.xml': slide(
      shape(plain('Click to add a title'), '<p:ph type="title"/>') + shape(plain('Harbour line')),
    ),
    'ppt/_rels/layout.xml.rels': linkParts(['m', 'slideMaster', 'master.xml']),
    'ppt/master.xml': slide(shape(plain('Confidential'))),
  })

describe('a PPTX presentation shows', () => {
  it('what the master and layout show, once', async () => {
    const { text } = await read(slide(shape(plain('One'))), slide(shape(plain('Two'))))
    expect(text).toBe('Confidential\n\nHarbour line\n\nOne\n\nTwo')
  })

  it.each<[what: string, inside: string, text: string]>([
    [
      'grouped shapes',
      `<p:grpSp>${shape(plain('a'))}<p:grpSp>${shape(plain('b'))}</p:grpSp></p:grpSp>`,
      'a\nb',
    ],
    [
      'a table with merged cells',
      `<a:tbl><a:tr><a:tc gridSpan="2">${plain('a')}</a:tc><a:tc hMerge="1">${plain('covered')}</a:tc><a:tc>${plain('c')}</a:tc></a:tr></a:tbl>`,
      'a\t\tc',
    ],
    [
      'numbered paragraphs',
      shape(
        numbered('one', 'arabicPeriod') +
          numbered('sub', 'alphaLcParenR', 1) +
          numbered('two', 'arabicPeriod') +
          plain('none'),
      ),
      '1. one\na) sub\n2. two\nnone',
    ],
    [
      'Roman numbers',
      shape(numbered('one', 'romanUcParenBoth') + numbered('two', 'romanUcParenBoth')),
      '(I) one\n(II) two',
    ],
    [
      'the number of the slide',
      shape('<a:p><a:fld type="slidenum"><a:t>‹#›</a:t></a:fld></a:p>'),
      '1',
    ],
    [
      'a symbol of a font',
      shape('<a:p><a:r><a:rPr><a:sym typeface="Wingdings"/></a:rPr><a:t>\uf0fc</a:t></a:r></a:p>'),
      '✓',
    ],
    [
      'an equation',
      shape(
        '<a:p><a14:m><m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></a14:m></a:p>',
      ),
      '1/2',
    ],
  ])('%s', async (_, inside, text) => {
    expect((await read(slide(inside, ' showMasterSp="0"'))).text).toBe(text)
  })
})
