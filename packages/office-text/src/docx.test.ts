import { describe, expect, it } from 'vitest'
import { linkParts, packParts, readParts, type Parts } from '../test/parts.js'

const createBody = (inside: string) => `<w:document><w:body>${inside}</w:body></w:document>`
const run = (text: string, properties = '') =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`
const createParagraph = (inside: string, properties = '') =>
  `<w:p><w:pPr>${properties}</w:pPr>${inside}</w:p>`
const read = async (inside: string, more: Parts = {}) =>
  readParts({ 'word/document.xml': createBody(inside), ...more })
const createField = (...inside: string[]) =>
  ['begin', 'separate', 'end']
    .map(
      (type, at) =>
        `<w:r><w:fldChar w:fldCharType="${type}">${inside[at * 2] ?? ''}</w:fldChar></w:r>${inside[at * 2 + 1] ?? ''}`,
    )
    .join('')
const createChoice = (requires: string, inside: string, fallback: string) =>
  `<mc:AlternateContent><mc:Choice Requires="${requires}">${inside}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`
const createMath = (inside: string) => createParagraph(`<m:oMath>${inside}</m:oMath>`)
const createMathRun = (text: string) => `<m:r><w:rPr/><m:t>${text}</m:t></m:r>`

describe('a DOCX document shows', () => {
  it.each<[what: string, inside: string, text: string]>([
    [
      'a moved row and a moved run once',
      createParagraph(
        `<w:moveFrom>${run('gone')}</w:moveFrom>${run('kept')}<w:moveTo>${run(' here')}</w:moveTo>`,
      ),
      'kept here',
    ],
    [
      'one paragraph where the end between two is deleted',
      createParagraph(run('one '), '<w:rPr><w:del/></w:rPr>') + createParagraph(run('two')),
      'one two',
    ],
    [
      'a large initial letter as part of its word',
      createParagraph(
        run('T', '<w:position w:val="-12"/>'),
        '<w:framePr w:dropCap="drop" w:lines="3"/>',
      ) +
        createParagraph(run('ickets are valid.')) +
        createParagraph(run('2', '<w:position w:val="-12"/>'), '<w:framePr w:dropCap="margin"/>') +
        createParagraph(run('026 fares')) +
        createParagraph(run('Zone'), '<w:framePr w:dropCap="none"/>') +
        createParagraph(run('A')),
      'Tickets are valid.\n2026 fares\nZone\nA',
    ],
    [
      'neither earlier properties nor deleted shapes',
      createParagraph(
        `<w:del><w:r><w:pict>${createParagraph(run('gone'))}</w:pict></w:r></w:del>${run('kept')}`,
        '<w:pPrChange><w:pPr/></w:pPrChange>',
      ),
      'kept',
    ],
    [
      'a symbol of Symbol',
      createParagraph('<w:r><w:sym w:font="Symbol" w:char="F061"/></w:r>'),
      'α',
    ],
    [
      'a symbol of Webdings',
      createParagraph('<w:r><w:sym w:font="Webdings" w:char="F061"/></w:r>'),
      '✔',
    ],
    [
      'a symbol of Wingdings 2',
      createParagraph('<w:r><w:sym w:font="Wingdings 2" w:char="F0A3"/></w:r>'),
      '☐',
    ],
    ['a dingbat', createParagraph('<w:r><w:sym w:font="ZapfDingbats" w:char="F034"/></w:r>'), '✔'],
    [
      'a symbol without a private code',
      createParagraph('<w:r><w:sym w:font="Wingdings" w:char="00FC"/></w:r>'),
      '✓',
    ],
    [
      'a character of an ordinary font',
      createParagraph('<w:r><w:sym w:font="Arial" w:char="20AC"/></w:r>'),
      '€',
    ],
    [
      'text in a symbol font',
      createParagraph(
        run('\uf0fe', '<w:rFonts w:ascii="Wingdings" w:hAnsi="Wingdings"/>') + run(' abc'),
      ),
      '☑ abc',
    ],
    ['letters in a symbol font', createParagraph(run('Dp', '<w:rFonts w:ascii="Symbol"/>')), 'Δπ'],
    [
      'a phonetic guide not',
      createParagraph(
        `<w:r><w:ruby><w:rt>${run('よみ')}</w:rt><w:rubyBase>${run('読')}</w:rubyBase></w:ruby></w:r>`,
      ),
      '読',
    ],
    [
      'a ticked form field',
      createParagraph(
        createField(
          '<w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData>',
          '<w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r>',
        ) + run(' Adult'),
      ),
      '☒ Adult',
    ],
    [
      'the choice of a list',
      createParagraph(
        createField(
          '<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="Bus"/><w:listEntry w:val="Tram"/></w:ddList></w:ffData>',
        ),
      ),
      'Tram',
    ],
    [
      'the result of a field and not its code',
      createParagraph(
        createField(
          '',
          `<w:r><w:instrText>IF </w:instrText></w:r>${run('hidden')}`,
          '',
          run('shown'),
        ),
      ),
      'shown',
    ],
    [
      'the text of a button',
      createParagraph(
        createField('', '<w:r><w:instrText> MACROBUTTON Go Click here </w:instrText></w:r>'),
      ),
      'Click here',
    ],
    [
      'a fraction in a field',
      createParagraph(createField('', '<w:r><w:instrText> EQ \\f(1;2) </w:instrText></w:r>')),
      '1/2',
    ],
    [
      'what follows a field without an end',
      createParagraph('<w:r><w:fldChar w:fldCharType="begin"/></w:r>') +
        createParagraph(run('next')),
      'next',
    ],
    [
      'a number with an exponent',
      createParagraph(run('10') + run('6', '<w:vertAlign w:val="superscript"/>')),
      '10⁶',
    ],
    [
      'text above and below the line',
      createParagraph(
        [
          ['2', '1.5', 'superscript'],
          [' 2', 'x', 'superscript'],
          [' 1', 'st', 'superscript'],
          [' H', '2', 'subscript'],
        ]
          .map(
            ([base, text, place]) =>
              run(base ?? '') + run(text ?? '', `<w:vertAlign w:val="${place}"/>`),
          )
          .join('') +
          run(' 10') +
          run('6', '<w:position w:val="8"/>'),
      ),
      '2^1.5 2^x 1st H₂ 10⁶',
    ],
    [
      'an equation in a field, also where its code is text',
      createParagraph(
        createField(
          '',
          `<w:r><w:instrText> EQ \\r(3;\\f(</w:instrText></w:r>${run('a+b')}<w:r><w:instrText>,2)) </w:instrText></w:r>`,
        ),
      ),
      '3√((a+b)/2)',
    ],
    [
      'a phonetic guide of a field not',
      createParagraph(
        createField(
          '',
          '<w:r><w:instrText> EQ \\* jc2 \\* "Font:MS" \\o\\ad(\\s\\up 9(よみ),読) </w:instrText></w:r>',
        ) + run('む'),
      ),
      '読む',
    ],
    [
      'neither a deleted row nor a deleted cell of it',
      `<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc>${createParagraph(run('gone'))}</w:tc></w:tr><w:tr><w:tc>${createParagraph(run('kept'))}</w:tc></w:tr></w:tbl>`,
      'kept',
    ],
    [
      'a choice that is understood',
      createChoice('wps', createParagraph(run('new')), createParagraph(run('old'))),
      'new',
    ],
    [
      'a fallback where nothing is understood',
      createChoice('zz', createParagraph(run('new')), createParagraph(run('old'))),
      'old',
    ],
    [
      'a choice that is not understood where the fallback has no text',
      createChoice('zz', createParagraph(run('new')), '<w:pict/>'),
      'new',
    ],
    [
      'a choice within a run',
      createParagraph(createChoice('zz', '', run('old')) + run(' text')),
      'old text',
    ],
    [
      'WordArt',
      createParagraph('<w:r><w:pict><v:shape><v:textpath string="Sale"/></v:shape></w:pict></w:r>'),
      'Sale',
    ],
    [
      'a fraction',
      createMath(
        `${createMathRun('1')}<m:f><m:num>${createMathRun('1')}</m:num><m:den>${createMathRun('2')}</m:den></m:f>`,
      ),
      '1 1/2',
    ],
    [
      'a fraction of sums',
      createMath(
        `<m:f><m:num>${createMathRun('a+b')}</m:num><m:den>${createMathRun('c')}</m:den></m:f>`,
      ),
      '(a+b)/c',
    ],
    [
      'numbers beside an equation apart',
      createMath(
        `${createMathRun('2')}<m:rad><m:deg>${createMathRun('3')}</m:deg><m:e>${createMathRun('8')}</m:e></m:rad>${createMathRun('5')}<m:moveFrom>${createMathRun('7')}</m:moveFrom>`,
      ),
      '2 3√8 5',
    ],
    [
      'a symbol in an equation, and no phantom',
      createMath(
        `<m:r><w:sym w:font="Symbol" w:char="F061"/></m:r><m:phant><m:phantPr><m:show m:val="0"/></m:phantPr><m:e>${createMathRun('x')}</m:e></m:phant>`,
      ),
      'α',
    ],
    [
      'equations of a paragraph on lines',
      createParagraph(
        `<m:oMathPara><m:oMath>${createMathRun('a=1')}</m:oMath><m:oMath>${createMathRun('b=2')}</m:oMath></m:oMathPara>`,
      ),
      'a=1\nb=2',
    ],
    [
      'a power',
      createMath(
        `<m:sSup><m:e>${createMathRun('10')}</m:e><m:sup>${createMathRun('6')}</m:sup></m:sSup>`,
      ),
      '10^6',
    ],
    [
      'an index',
      createMath(
        `<m:sSub><m:e>${createMathRun('x')}</m:e><m:sub>${createMathRun('12')}</m:sub></m:sSub>`,
      ),
      'x_12',
    ],
    ['a root', createMath(`<m:rad><m:deg/><m:e>${createMathRun('16')}</m:e></m:rad>`), '√16'],
    [
      'a sum',
      createMath(
        `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${createMathRun('i=1')}</m:sub><m:sup>${createMathRun('n')}</m:sup><m:e>${createMathRun('i')}</m:e></m:nary>`,
      ),
      '∑_(i=1)^n i',
    ],
    [
      'brackets',
      createMath(
        `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>${createMathRun('1')}</m:e><m:e>${createMathRun('2')}</m:e></m:d>`,
      ),
      '[1|2]',
    ],
    [
      'a matrix',
      createMath(
        `<m:m><m:mr><m:e>${createMathRun('1')}</m:e><m:e>${createMathRun('2')}</m:e></m:mr><m:mr><m:e>${createMathRun('3')}</m:e><m:e>${createMathRun('4')}</m:e></m:mr></m:m>`,
      ),
      '[1 2; 3 4]',
    ],
    ['a line end within a text', createParagraph(run('a\nb')), 'a b'],
    [
      'the mark of a note',
      createParagraph(run('ride') + '<w:r><w:footnoteReference w:id="2"/></w:r>'),
      'ride¹',
    ],
  ])('%s', async (_, inside, text) => {
    expect(await read(inside)).toEqual({ text, warnings: [] })
  })

  it('the look of its styles', async () => {
    const styles = [
      '<w:style w:type="paragraph" w:styleId="Boxes"><w:rPr><w:rFonts w:ascii="Wingdings"/></w:rPr></w:style>',
      '<w:style w:type="paragraph" w:styleId="Hidden"><w:rPr><w:vanish/></w:rPr></w:style>',
      '<w:style w:type="character" w:styleId="Unseen"><w:rPr><w:vanish/></w:rPr></w:style>',
      '<w:style w:type="character" w:styleId="Raised"><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>',
    ]
    const { text, warnings } = await read(
      [
        createParagraph(run('\uf0fe'), '<w:pStyle w:val="Boxes"/>'),
        createParagraph(
          run('secret') + run('twice', '<w:rStyle w:val="Unseen"/>'),
          '<w:pStyle w:val="Hidden"/>',
        ),
        createParagraph(run('10') + run('6', '<w:rStyle w:val="Raised"/>')),
      ].join(''),
      {
        'word/_rels/document.xml.rels': linkParts(['s', 'styles', 'styles.xml']),
        'word/styles.xml': `<w:styles>${styles.join('')}</w:styles>`,
      },
    )
    expect(text).toBe('☑\ntwice\n10⁶')
    expect(warnings).toEqual([{ code: 'hidden_text', count: 1 }])
  })

  it('what follows an equation of brackets only', async () => {
    const code = `<w:r><w:instrText> EQ ${'('.repeat(9_000)} </w:instrText></w:r>`
    const { text } = await read(createParagraph(createField('', code) + run('after')))
    expect(text).toMatch(/^\({9000}.*after$/)
  })

  it('notes with the number of their reference', async () => {
    const { text } = await read(
      createParagraph(`${run('a')}<w:r><w:endnoteReference w:id="5"/></w:r>`),
      {
        'word/_rels/document.xml.rels': linkParts(['1', 'endnotes', 'endnotes.xml']),
        'word/endnotes.xml': `<w:endnotes><w:endnote w:id="5">${createParagraph(`<w:r><w:endnoteRef/></w:r>${run(' b')}`)}</w:endnote></w:endnotes>`,
      },
    )
    expect(text).toBe('aⁱ\n\nⁱ b')
  })

  it('notes with the numbers of their section, or else of the settings', async () => {
    const refer = (kind: string, id: number, section = '') =>
      createParagraph(
        run('a') + `<w:r><w:${kind}Reference w:id="${id}"/></w:r>`,
        section && `<w:sectPr>${section}</w:sectPr>`,
      )
    const note = (kind: string, id: number) =>
      `<w:${kind} w:id="${id}">${createParagraph(`<w:r><w:${kind}Ref/></w:r>${run(' b')}`)}</w:${kind}>`
    const letters =
      '<w:footnotePr><w:numFmt w:val="lowerLetter"/><w:numStart w:val="3"/></w:footnotePr>'
    const { text } = await read(
      [
        refer('footnote', 2) + refer('endnote', 2),
        refer('footnote', 3, `${letters}<w:sectPrChange><w:sectPr/></w:sectPrChange>`),
        refer('footnote', 4) + refer('endnote', 3),
        '<w:sectPr><w:footnotePr><w:numRestart w:val="eachSect"/></w:footnotePr></w:sectPr>',
      ].join(''),
      {
        'word/_rels/document.xml.rels': linkParts(
          ['1', 'footnotes', 'footnotes.xml'],
          ['2', 'endnotes', 'endnotes.xml'],
          ['3', 'settings', 'settings.xml'],
        ),
        'word/settings.xml':
          '<w:settings><w:endnotePr><w:numFmt w:val="decimal"/></w:endnotePr></w:settings>',
        'word/footnotes.xml': `<w:footnotes>${note('footnote', 2)}${note('footnote', 4)}</w:footnotes>`,
        'word/endnotes.xml': `<w:endnotes>${note('endnote', 3)}</w:endnotes>`,
      },
    )
    expect(text).toBe('aᶜ\na¹\naᵈ\na¹\na²\n\nᶜ b\n¹ b\n\n² b')
  })

  it('a SmartArt graphic, a chart and embedded files where they stand', async () => {
    const object = (xml: string) => createParagraph(`<w:r><w:drawing>${xml}</w:drawing></w:r>`)
    const inside = [
      createParagraph(run('before')),
      object('<dgm:relIds r:dm="d"/>'),
      object('<c:chart r:id="c"/>'),
      '<w:altChunk r:id="h"/><w:altChunk r:id="w"/><w:altChunk r:id="t"/><w:altChunk r:id="m"/><w:altChunk r:id="x"/>',
      createParagraph(run('after')),
    ]
    const column = (name: string, ...values: string[]) =>
      `<c:${name}><c:strCache>${values.map((value, at) => `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`).join('')}</c:strCache></c:${name}>`
    const { text, warnings } = await read(inside.join(''), {
      'word/_rels/document.xml.rels': linkParts(
        ['d', 'diagramData', 'data.xml'],
        ['c', 'chart', 'charts/chart1.xml'],
        ['h', 'aFChunk', 'part.html'],
        ['w', 'aFChunk', 'part.docx'],
        ['t', 'aFChunk', 'part.rtf'],
        ['m', 'aFChunk', 'part.mht'],
        ['x', 'aFChunk', 'part.xml'],
      ),
      'word/data.xml':
        '<dgm:dataModel><dgm:ptLst><dgm:pt modelId="0"/><dgm:pt modelId="2"><dgm:t><a:p><a:r><a:t>second</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt modelId="1"><dgm:t><a:p><a:r><a:t>first</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst><dgm:cxnLst><dgm:cxn srcId="0" destId="1" srcOrd="0"/><dgm:cxn srcId="0" destId="2" srcOrd="1"/></dgm:cxnLst></dgm:dataModel>',
      'word/charts/chart1.xml': `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Rides</a:t></a:r></a:p></c:rich></c:tx></c:title><c:ser>${column('tx', 'Tram')}${column('cat', 'May', 'June')}<c:val><c:numRef><c:numCache><c:formatCode>0%</c:formatCode><c:pt idx="0"><c:v>0.5</c:v></c:pt><c:pt idx="1"><c:v>0.25</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:chart></c:chartSpace>`,
      'word/part.html':
        '<html><style>p{}</style><body><p>from <b>HTML</b></p><table><tr><td>a</td><td>b</td></tr></table></body></html>',
      'word/part.docx': packParts({
        'word/document.xml': createBody(createParagraph(run('from DOCX'))),
      }),
      'word/part.rtf': '{\\rtf1 gone}',
      'word/part.mht': 'MIME-Version: 1.0\nContent-Type: text/html\n\n<p>from MHTML</p>',
      'word/part.xml': '<?xml version="1.0"?><a>gone</a>',
    })
    expect(text.split('\n').filter(Boolean)).toEqual([
      'before',
      'first',
      'second',
      'Rides',
      '\tTram',
      'May\t50%',
      'June\t25%',
      'from HTML',
      'a\tb',
      'from DOCX',
      'from MHTML',
      'after',
    ])
    expect(warnings).toEqual([{ code: 'unread_parts', count: 2 }])
  })

  it.each<[code: string, count: number, inside: string]>([
    [
      'images_without_text',
      2,
      createParagraph('<a:blip r:embed="1"/><a:blip r:embed="1"/><v:imagedata r:id="2"/>'),
    ],
    ['hidden_text', 1, createParagraph(run('secret', '<w:vanish/>'))],
    ['comments', 1, createParagraph('<w:r><w:commentReference w:id="0"/></w:r>')],
    [
      'unknown_symbols',
      1,
      createParagraph('<w:r><w:sym w:font="Wingdings 2" w:char="F0FF"/></w:r>'),
    ],
    ['missing_parts', 1, createParagraph('<c:chart r:id="9"/>')],
  ])('a warning for %s', async (code, count, inside) => {
    const { text, warnings } = await read(inside + createParagraph(run('shown')))
    expect(text).toContain('shown')
    expect(text).not.toContain('secret')
    expect(warnings).toEqual([{ code, count }])
  })
})

describe('the numbers of lists and headings', () => {
  const level = (at: number, system: string, text: string, more = '') =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${system}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`
  const numbering = [
    '<w:numbering>',
    `<w:abstractNum w:abstractNumId="0">${level(0, 'decimal', 'Article %1', '<w:pStyle w:val="Heading1"/>')}${level(1, 'lowerLetter', '(%2)')}${level(2, 'lowerRoman', '%1.%2.%3', '<w:isLgl/>')}</w:abstractNum>`,
    `<w:abstractNum w:abstractNumId="1">${level(0, 'bullet', '\uf0b7')}</w:abstractNum>`,
    `<w:abstractNum w:abstractNumId="2">${level(0, 'ideographLegalTraditional', '%1、')}</w:abstractNum>`,
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>',
    '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>',
    '<w:num w:numId="4"><w:abstractNumId w:val="2"/></w:num></w:numbering>',
  ].join('')
  const parts = {
    'word/_rels/document.xml.rels': linkParts(
      ['n', 'numbering', 'numbering.xml'],
      ['s', 'styles', 'styles.xml'],
    ),
    'word/numbering.xml': numbering,
    'word/styles.xml':
      '<w:styles><w:style w:type="paragraph" w:styleId="Base"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style><w:style w:type="paragraph" w:styleId="Heading1"><w:basedOn w:val="Base"/></w:style></w:styles>',
  }
  const item = (text: string, list: number, at = 0) =>
    createParagraph(
      run(text),
      `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${list}"/></w:numPr>`,
    )

  it('count by level, style and instance', async () => {
    const { text } = await read(
      [
        createParagraph(run('one'), '<w:pStyle w:val="Heading1"/>'),
        item('a', 1, 1),
        item('b', 1, 1),
        item('deep', 1, 2),
        createParagraph(run('two'), '<w:pStyle w:val="Heading1"/>'),
        item('a again', 1, 1),
        item('bullet', 2),
        item('seven', 3),
        item('eight', 3),
        item('legal', 4),
        createParagraph(
          run('none'),
          '<w:pStyle w:val="Heading1"/><w:numPr><w:numId w:val="0"/></w:numPr>',
        ),
      ].join(''),
      parts,
    )
    expect(text.split('\n')).toEqual([
      'Article 1 one',
      '(a) a',
      '(b) b',
      '1.2.1 deep',
      'Article 2 two',
      '(a) a again',
      'bullet',
      'Article 7 seven',
      'Article 8 eight',
      '壹、 legal',
      'none',
    ])
  })
})

describe('headers of pages', () => {
  const section = (first: string, more = '') =>
    `<w:sectPr><w:headerReference w:type="even" r:id="2"/><w:headerReference w:type="default" r:id="1"/>${first}${more}</w:sectPr>`
  const first = '<w:headerReference w:type="first" r:id="3"/>'
  const show = async (sections: readonly [string, string], settings = '') => {
    const part = (text: string) => `<w:hdr>${createParagraph(run(text))}</w:hdr>`
    const inside = createParagraph(run('body'), sections[0]) + sections[1]
    const { text } = await read(inside, {
      'word/_rels/document.xml.rels': linkParts(
        ['1', 'header', 'h1.xml'],
        ['2', 'header', 'h2.xml'],
        ['3', 'header', 'h3.xml'],
        ['4', 'settings', 'settings.xml'],
      ),
      'word/h1.xml': part('all'),
      'word/h2.xml': part('even'),
      'word/h3.xml': part('first'),
      'word/settings.xml': `<w:settings>${settings}</w:settings>`,
    })
    return text.split('\n\n')
  }
  it.each<[what: string, sections: readonly [string, string], settings: string, text: string[]]>([
    ['of no kind', [section(first), section('')], '', ['all', 'body']],
    [
      'that are even',
      [section(first, '<w:titlePg w:val="0"/>'), section('')],
      '<w:evenAndOddHeaders/>',
      ['all', 'even', 'body'],
    ],
    [
      'that are the first of a later section',
      [section(first), section('', '<w:titlePg/>')],
      '',
      ['all', 'first', 'body'],
    ],
  ])('%s', async (_, sections, settings, text) => {
    expect(await show(sections, settings)).toEqual(text)
  })
})
