import { describe, expect, it } from 'vitest'
import { linkParts, readParts } from '../test/parts.js'

const createParagraph = (text: string, properties = '') =>
  `<a:p><a:pPr${properties}</a:pPr><a:r><a:rPr/><a:t>${text}</a:t></a:r></a:p>`
const createPlainParagraph = (text: string) => createParagraph(text, '>')
const createNumberedParagraph = (text: string, type: string, level = 0) =>
  createParagraph(text, ` lvl="${level}"><a:buAutoNum type="${type}"/>`)
const createShape = (inside: string, placeholder = '') =>
  `<p:sp><p:nvSpPr><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody><a:lstStyle/>${inside}</p:txBody></p:sp>`
const createSlide = (inside: string, attributes = '') =>
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
    'ppt/layout.xml': createSlide(
      createShape(createPlainParagraph('Click to add a title'), '<p:ph type="title"/>') +
        createShape(createPlainParagraph('Harbour line')),
    ),
    'ppt/_rels/layout.xml.rels': linkParts(['m', 'slideMaster', 'master.xml']),
    'ppt/master.xml': createSlide(createShape(createPlainParagraph('Confidential'))),
  })

describe('a PPTX presentation shows', () => {
  it('what the master and layout show, once', async () => {
    const { text } = await read(
      createSlide(createShape(createPlainParagraph('One'))),
      createSlide(createShape(createPlainParagraph('Two'))),
    )
    expect(text).toBe('Confidential\n\nHarbour line\n\nOne\n\nTwo')
  })

  it.each<[what: string, inside: string, text: string]>([
    [
      'grouped shapes',
      `<p:grpSp>${createShape(createPlainParagraph('a'))}<p:grpSp>${createShape(createPlainParagraph('b'))}</p:grpSp></p:grpSp>`,
      'a\nb',
    ],
    [
      'a table with merged cells',
      `<a:tbl><a:tr><a:tc gridSpan="2">${createPlainParagraph('a')}</a:tc><a:tc hMerge="1">${createPlainParagraph('covered')}</a:tc><a:tc>${createPlainParagraph('c')}</a:tc></a:tr></a:tbl>`,
      'a\t\tc',
    ],
    [
      'numbered paragraphs',
      createShape(
        createNumberedParagraph('one', 'arabicPeriod') +
          createNumberedParagraph('sub', 'alphaLcParenR', 1) +
          createNumberedParagraph('two', 'arabicPeriod') +
          createPlainParagraph('none'),
      ),
      '1. one\na) sub\n2. two\nnone',
    ],
    [
      'Roman numbers',
      createShape(
        createNumberedParagraph('one', 'romanUcParenBoth') +
          createNumberedParagraph('two', 'romanUcParenBoth'),
      ),
      '(I) one\n(II) two',
    ],
    [
      'the number of the slide',
      createShape('<a:p><a:fld type="slidenum"><a:t>‹#›</a:t></a:fld></a:p>'),
      '1',
    ],
    [
      'a symbol of a font',
      createShape(
        '<a:p><a:r><a:rPr><a:sym typeface="Wingdings"/></a:rPr><a:t>\uf0fc</a:t></a:r></a:p>',
      ),
      '✓',
    ],
    ['an escaped line break', createShape(createPlainParagraph('a_x000B_b')), 'a\nb'],
    [
      'powers and indexes',
      createShape(
        '<a:p><a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>6</a:t></a:r><a:r><a:t> H</a:t></a:r><a:r><a:rPr baseline="-25000"/><a:t>2</a:t></a:r></a:p>',
      ),
      '10⁶ H₂',
    ],
    [
      'an equation',
      createShape(
        '<a:p><a14:m><m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></a14:m></a:p>',
      ),
      '1/2',
    ],
  ])('%s', async (_, inside, text) => {
    expect((await read(createSlide(inside, ' showMasterSp="0"'))).text).toBe(text)
  })

  it('no hidden shapes, which are counted', async () => {
    const hidden = createShape(createPlainParagraph('secret')).replace(
      '<p:nvPr>',
      '<p:cNvPr id="2" hidden="1"/><p:nvPr>',
    )
    const { text, warnings } = await read(
      createSlide(
        `${hidden}<p:grpSp>${createShape(createPlainParagraph('shown'))}</p:grpSp>`,
        ' showMasterSp="0"',
      ),
    )
    expect(text).toBe('shown')
    expect(warnings).toEqual([{ code: 'hidden_text', count: 1 }])
  })

  it('the numbers in SmartArt and charts, and what charts say beside them', async () => {
    const power =
      '<a:p><a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>6</a:t></a:r></a:p>'
    const half =
      '<a:p><a14:m><m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></a14:m></a:p>'
    const series = `<c:ser><c:dLbls><c:dLbl><c:tx><c:rich><a:p><a:r><a:t>Peak</a:t></a:r><a:r><a:t> day</a:t></a:r></a:p></c:rich></c:tx></c:dLbl></c:dLbls><c:trendline><c:name>Trend</c:name></c:trendline><c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>5</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>`
    const units = `<c:valAx><c:dispUnits><c:dispUnitsLbl><c:tx><c:rich>${createPlainParagraph('in thousands')}</c:rich></c:tx></c:dispUnitsLbl></c:dispUnits></c:valAx>`
    const { text } = await readParts({
      'ppt/presentation.xml': '<p:presentation><p:sldId id="1" r:id="1"/></p:presentation>',
      'ppt/_rels/presentation.xml.rels': linkParts(['1', 'slide', 'slide.xml']),
      'ppt/slide.xml': createSlide(
        '<p:graphicFrame><dgm:relIds r:dm="d"/></p:graphicFrame><p:graphicFrame><c:chart r:id="c"/></p:graphicFrame>',
      ),
      'ppt/_rels/slide.xml.rels': linkParts(
        ['d', 'diagramData', 'data.xml'],
        ['c', 'chart', 'charts/chart1.xml'],
      ),
      'ppt/data.xml': `<dgm:dataModel><dgm:ptLst><dgm:pt modelId="1"><dgm:t>${power}</dgm:t></dgm:pt><dgm:pt modelId="2"><dgm:t>${half}</dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>`,
      'ppt/charts/chart1.xml': `<c:chartSpace><c:chart><c:title/><c:autoTitleDeleted val="1"/><c:plotArea><c:barChart>${series}</c:barChart>${units}</c:plotArea></c:chart></c:chartSpace>`,
    })
    expect(text.split('\n')).toEqual(['10⁶', '1/2', '1\t5', 'Peak day', 'Trend', 'in thousands'])
  })
})
